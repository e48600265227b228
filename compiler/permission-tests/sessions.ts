/** Sessions to try a rule with: for each variable the values that stand in the columns it is compared with. */
import { objectKey } from '../../runtime/core/names.ts';
import { identifier, print } from '../../runtime/core/sql/fragment.ts';
import type { Argument, Condition } from '../model/model.ts';
import type { Trial } from './trial.ts';

export type Variables = Readonly<Record<string, string>>;

/** About as many sessions are tried with a rule: the more variables it has, the fewer values of each. */
const SESSIONS = 150;

interface Comparison {
  readonly table: string;
  /** Quoted. */
  readonly from: string;
  readonly column: string;
  readonly variable: string;
  readonly isList: boolean;
}

/** Where a condition compares columns with session variables. */
function comparisons(condition: Condition, schema: string, name: string): Comparison[] {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.conditions.flatMap((part) => comparisons(part, schema, name));
    case 'not':
      return comparisons(condition.condition, schema, name);
    case 'relationship':
    case 'exists':
      return comparisons(condition.condition, condition.target.schema, condition.target.name);
    case 'comparison': {
      const { left, right } = condition;
      if (left.kind !== 'column') return [];
      return variablesOf(right).map(({ variable, isList }) => ({
        table: objectKey(schema, name),
        from: print(identifier(schema, name)).text,
        column: left.column,
        variable,
        isList,
      }));
    }
    default:
      return [];
  }
}

function variablesOf(right: Argument): { variable: string; isList: boolean }[] {
  switch (right.kind) {
    case 'value':
      return right.value.kind === 'session' ? [{ variable: right.value.name, isList: false }] : [];
    case 'list':
      return right.values.flatMap((value) =>
        value.kind === 'session' ? [{ variable: value.name, isList: false }] : [],
      );
    case 'session-list':
      return [{ variable: right.name, isList: true }];
    case 'fields':
      return [];
  }
}

/** Sessions whose variables have values that occur; none when a variable has no values to try. */
export async function sessionsFor(
  trial: Trial,
  condition: Condition,
  table: { readonly schema: string; readonly name: string },
  variables: readonly string[],
): Promise<Variables[]> {
  const places = comparisons(condition, table.schema, table.name);
  const most = Math.max(2, Math.floor(SESSIONS ** (1 / variables.length)));
  let sessions: Variables[] = [{}];
  for (const variable of variables) {
    const values = new Set<string>();
    const compared = places.filter((place) => place.variable === variable);
    const each = Math.max(2, Math.ceil(most / compared.length));
    for (const { from, column, isList } of compared) {
      const name = print(identifier(column)).text;
      const rows = await trial.run<{ value: string }>(
        `select ${name}::text as value from ${from} where ${name} is not null group by 1 order by md5(${name}::text) limit ${each}`,
      );
      for (const { value } of rows) values.add(isList ? `{${JSON.stringify(value)}}` : value);
    }
    if (values.size === 0) return [];
    sessions = sessions.flatMap((session) => [...values].map((value) => ({ ...session, [variable]: value })));
  }
  return sessions;
}
