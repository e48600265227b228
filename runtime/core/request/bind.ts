/** Values of parameters for one request: variables, session variables, constants of the document. */
import { EngineError, type Path } from '../errors.ts';
import type { RuleReference } from '../reason.ts';
import type { Session } from '../session.ts';
import type { ParameterNode, ParameterSource } from '../sql/fragment.ts';
import type { Statement } from '../sql/print.ts';
import type { Vocabulary } from '../vocabulary.ts';

/** The text of an array: one column of the tuples of a statement's join. */
export type TupleArray = (join: number, column: number) => string;

/**
 * The texts of a statement's parameters, in order.
 * @param tuples of a statement that answers joins
 * @throws EngineError not-found for a missing session variable; parse-failed for a value that does not fit its type
 */
export function bindParameters(
  statement: Pick<Statement, 'parameters'>,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
  tuples?: TupleArray,
): (string | null)[] {
  return statement.parameters.map((parameter) =>
    parameter.source.from === 'tuples'
      ? tuples!(parameter.source.join, parameter.source.column)
      : bindParameter(parameter, variables, session),
  );
}

/** A number that every transaction is above. */
const NO_TRANSACTION = '0';

/** The text of one parameter. @throws EngineError as bindParameters */
export function bindParameter(
  parameter: ParameterNode,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
): string | null {
  const { source, encode } = parameter;
  if (source.from === 'session') return sessionVariable(session, source.name, parameter.rule);
  if (source.from === 'horizon') return NO_TRANSACTION;
  if (source.from === 'session-object') return JSON.stringify(session.vocabulary.session(session.variables));
  const value = sourceValue(source.from === 'cursor' ? source.start : source, variables);
  if (!encode) return value === null || value === undefined ? null : String(value);
  try {
    return encode(value);
  } catch (error) {
    const isWithin = error instanceof EngineError && !error.path.startsWith('$.');
    throw isWithin && parameter.path !== undefined ? error.below(parameter.path) : error;
  }
}

/** A rule asks for a session variable that the session lacks. */
export class MissingSessionVariable extends EngineError {
  /** Its canonical name. */
  readonly variable: string;

  constructor(variable: string, vocabulary: Vocabulary, rule: RuleReference | undefined) {
    const name = vocabulary.fromCanonical(variable);
    const why = `the rule compares with ${name}, which the session does not have`;
    super('not-found', `missing session variable: "${name}"`, {
      reason: rule && { ...rule, why, variable: name },
    });
    this.variable = variable;
  }
}

function sessionVariable(session: Session, name: string, rule: RuleReference | undefined): string {
  const value = Object.hasOwn(session.variables, name) ? session.variables[name] : undefined;
  if (value === undefined) throw new MissingSessionVariable(name, session.vocabulary, rule);
  return value;
}

function valueAt(path: Path, variable: unknown): unknown {
  if (typeof path === 'string') return variable;
  const value = valueAt(path.above, variable) as
    | Readonly<Record<string | number, unknown>>
    | null
    | undefined;
  return value === null || value === undefined ? value : value[path.step];
}

/** The value of a parameter that the request brings, before it is encoded. */
export function sourceValue(source: ParameterSource, variables: Readonly<Record<string, unknown>>): unknown {
  switch (source.from) {
    case 'constant':
      return source.value;
    case 'variable':
      return valueAt(source.path, variables[source.name]);
    case 'list':
      return source.items.map((item) => sourceValue(item, variables));
    case 'object':
      return Object.fromEntries(
        source.fields.map(([name, item]) => [name, sourceValue(item, variables) ?? null]),
      );
    default:
      throw new Error(`a ${source.from} is not part of a value`);
  }
}
