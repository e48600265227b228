/**
 * SQL as a list of nodes: texts, which are identifiers, keywords and quoted literals, and parameters, which are all
 * values of requests. Everything that reaches Postgres is made here, so quoting has one place and so have parameters;
 * parameters stay nodes until printing, because other printers (live queries, explain) print them differently.
 */
import { EngineError, type Path } from '../errors.ts';
import type { RuleReference } from '../reason.ts';

/** Where the value of a parameter comes from when the statement runs. */
export type ParameterSource =
  | { readonly from: 'constant'; readonly value: unknown }
  | { readonly from: 'variable'; readonly name: string; readonly path: Path }
  | { readonly from: 'session'; readonly name: string }
  /** All session variables, as a JSON object. */
  | { readonly from: 'session-object' }
  /** One column of the tuples of a join, as an array; `join` counts the joins of the statement. */
  | { readonly from: 'tuples'; readonly join: number; readonly column: number }
  /** Where a stream has got to; where it starts until then. */
  | { readonly from: 'cursor'; readonly start: ParameterSource }
  /** Streams that wait for transactions: the lowest transaction number that they wait for. */
  | { readonly from: 'horizon' }
  /** A JSON value or list written in the document with variables inside. */
  | { readonly from: 'list'; readonly items: readonly ParameterSource[] }
  | { readonly from: 'object'; readonly fields: readonly (readonly [string, ParameterSource])[] };

export type SqlNode =
  | { readonly kind: 'text'; readonly text: string }
  /** The row that a rule speaks of; only inside rules, replaced by `bindRow`. */
  | { readonly kind: 'row' }
  | {
      readonly kind: 'parameter';
      readonly source: ParameterSource;
      /** SQL type that the value is cast to, already quoted (`integer`, `"public"."mood"[]`). */
      readonly type: string;
      /** How a JSON value is written for Postgres; absent for session variables, which are texts. */
      readonly encode?: (value: unknown) => string | null;
      /** Path of the value in the request, for errors. */
      readonly path?: Path;
      /** The kind of `encode`, as data, if there is one: saved statements are written to files and read again. */
      readonly encoding?: Encoding;
      /** The rule that needs a session variable, for the error if it is missing. */
      readonly rule?: RuleReference;
    };

/** How a JSON value is written for Postgres, as data. */
export type Encoding =
  /** By a type key of the source; `pattern`: of LIKE. */
  | { readonly as: 'value' | 'list' | 'pattern' | 'regex' | 'arrays'; readonly type: string }
  /** One of several parameters that are made of one value, told apart by `part`. */
  | { readonly as: 'part'; readonly part: string }
  /** A field's argument, checked first; `accepts` as in a ScalarType. */
  | { readonly as: 'argument'; readonly scalar: string; readonly accepts?: string };

export interface Sql {
  readonly nodes: readonly SqlNode[];
}

export const empty: Sql = { nodes: [] };
const rowNode: Sql = { nodes: [{ kind: 'row' }] };

/** The row under a rule, `{row}` in generated files. */
export function row(): Sql {
  return rowNode;
}

/** SQL text as written by this project: keywords, operators, punctuation. Never for anything a person supplied. */
export function raw(text: string): Sql {
  return { nodes: [{ kind: 'text', text }] };
}

/** A quoted identifier. */
export function identifier(...parts: readonly string[]): Sql {
  return raw(quoteIdentifier(...parts));
}

/** Text of a quoted identifier: `"public"."article"`. A NUL character cannot occur in Postgres and is refused. */
export function quoteIdentifier(...parts: readonly string[]): string {
  return parts
    .map((part) => {
      if (part.includes('\0')) throw new Error('an identifier contains a NUL character');
      return `"${part.replaceAll('"', '""')}"`;
    })
    .join('.');
}

/** A quoted text literal; for constants of metadata only, values of requests are parameters. */
export function literal(value: string): Sql {
  return raw(quoteLiteral(value));
}

/** Text of a quoted literal, independent of standard_conforming_strings. */
export function quoteLiteral(value: string): string {
  if (value.includes('\0')) throw new Error('a literal contains a NUL character');
  const quoted = `'${value.replaceAll("'", "''")}'`;
  return quoted.includes('\\') ? ` E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

export function parameter(
  parameterSource: ParameterSource,
  type: string,
  encode?: (value: unknown) => string | null,
  path?: Path,
  encoding?: Encoding,
): Sql {
  return {
    nodes: [
      {
        kind: 'parameter',
        source: parameterSource,
        type,
        ...(encode ? { encode } : {}),
        ...(path === undefined ? {} : { path }),
        ...(encoding ? { encoding } : {}),
      },
    ],
  };
}

/**
 * A fragment made of others. Its nodes are listed when they are asked for, mostly by the printer: fragments are put into each
 * other as deep as requests are nested, and each level that copied the nodes of those below would make long of deep.
 */
class Composite implements Sql {
  // No private names: estimates of memory look at the fields.
  private fragments: readonly (string | Sql)[];
  private flattened: readonly SqlNode[] | undefined = undefined;

  constructor(parts: readonly (string | Sql)[]) {
    this.fragments = parts;
  }

  get nodes(): readonly SqlNode[] {
    if (!this.flattened) {
      const nodes: SqlNode[] = [];
      this.eachPart((part) => nodes.push(typeof part === 'string' ? { kind: 'text', text: part } : part));
      this.flattened = nodes;
      this.fragments = [];
    }
    return this.flattened;
  }

  /** Whether it has several parts, which are never the constant `true`. */
  get isComposed(): boolean {
    return this.fragments.length > 1;
  }

  /** Texts and nodes in order, without a node for each text. */
  eachPart(visit: (part: string | SqlNode) => void): void {
    if (this.flattened) this.flattened.forEach(visit);
    else for (const part of this.fragments) eachPart(part, visit);
  }
}

function eachPart(part: string | Sql, visit: (part: string | SqlNode) => void): void {
  if (typeof part === 'string') visit(part);
  else if (part instanceof Composite) part.eachPart(visit);
  else part.nodes.forEach(visit);
}

/** Template tag: fragments are spliced, plain strings are refused by type. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  const all: (string | Sql)[] = [];
  for (let index = 0; index < texts.length; index += 1) {
    if (texts[index] !== '') all.push(texts[index]!);
    if (index < parts.length) all.push(parts[index]!);
  }
  return new Composite(all);
}

/** Fragments with a separator between them. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const all: (string | Sql)[] = [];
  for (const part of parts) {
    if (all.length > 0) all.push(separator);
    all.push(part);
  }
  return new Composite(all);
}

/** Replaces the row of a rule by an alias of the request. */
export function bindRow({ nodes }: Sql, alias: Sql): Sql {
  const whole = wholeRow(alias).nodes;
  return {
    nodes: nodes.flatMap((node, index) => {
      if (node.kind !== 'row') return [node];
      const next = nodes[index + 1];
      return next?.kind === 'text' && next.text.startsWith('.') ? alias.nodes : whole;
    }),
  };
}

/**
 * The row of an alias as an argument. With its star: by the name alone, a column of that name would be taken, of any query around.
 * An expression in parentheses is no name.
 */
export function wholeRow(alias: Sql): Sql {
  const [first] = alias.nodes;
  return first?.kind === 'row' || (first?.kind === 'text' && first.text.startsWith('('))
    ? alias
    : sql`${alias}.*`;
}

/** Conjunction in parentheses where needed; `true` when there is nothing to say. */
export function and(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return TRUE;
  if (conditions.length === 1) return conditions[0]!;
  return sql`(${join(conditions, ' and ')})`;
}

export function or(conditions: readonly Sql[]): Sql {
  if (conditions.length === 0) return FALSE;
  if (conditions.length === 1) return conditions[0]!;
  return sql`(${join(conditions, ' or ')})`;
}

export const TRUE: Sql = raw('true');
export const FALSE: Sql = raw('false');

/** True if a fragment is the constant condition `true`. */
export function isTrue(fragment: Sql): boolean {
  return (
    !(fragment instanceof Composite && fragment.isComposed) &&
    fragment.nodes.length === 1 &&
    fragment.nodes[0]!.kind === 'text' &&
    fragment.nodes[0]!.text === 'true'
  );
}

export type ParameterNode = Extract<SqlNode, { kind: 'parameter' }>;

/** A statement ready for Postgres: `$1`-style text and what each parameter is. */
export interface Statement {
  readonly text: string;
  readonly parameters: readonly ParameterNode[];
}

/** Maximum number of parameters of a statement in PostgreSQL's protocol. */
const MAX_PARAMETERS = 65_535;

/**
 * Prints a statement. A variable or session variable that occurs several times with one type and encoding is one
 * parameter, so it is sent once; constants are numbered one by one, so that the text does not depend on whether two values are equal.
 * @throws EngineError when there are more than PostgreSQL takes
 */
export function print(fragment: Sql): Statement {
  const parameters: ParameterNode[] = [];
  const text = printInto(fragment, parameters, (position) => `$${position}`);
  if (parameters.length > MAX_PARAMETERS)
    throw new EngineError(
      'validation-failed',
      `the operation has ${parameters.length} separate values, where PostgreSQL takes at most ${MAX_PARAMETERS}`,
    );
  return { text, parameters };
}

/** Equal for parameters that are sent once; undefined for those that are not. */
function keyOf({ source, type, encoding }: ParameterNode): unknown {
  if (source.from === 'constant') return undefined;
  // Lists and places in values are long, and one object wherever they are printed.
  if ('items' in source || 'fields' in source || ('path' in source && source.path !== '')) return source;
  return JSON.stringify([source, type, wayOf(encoding)]);
}

function isSame(left: ParameterNode, right: ParameterNode): boolean {
  return left.type === right.type && wayOf(left.encoding) === wayOf(right.encoding);
}

/** Distinguishes encodings of one source as one SQL type. */
function wayOf(encoding: Encoding | undefined): string | undefined {
  return encoding?.as === 'part' ? `part ${encoding.part}` : encoding?.as;
}

/** Functions of PostgreSQL that generated SQL calls. */
const FUNCTIONS = `array_agg avg bool_and bool_or btrim cardinality chr clock_timestamp concat concat_ws convert_from convert_to corr
  count covar_pop covar_samp current_setting decode encode every format generate_series hashtextextended json_agg
  json_build_array json_build_object json_object_agg jsonb_agg jsonb_build_object localtimestamp lower max md5 min now
  pg_current_snapshot pg_current_xact_id pg_snapshot_xmax pg_snapshot_xmin pg_visible_in_snapshot regr_avgx regr_avgy
  regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number row_to_json set_config starts_with
  statement_timestamp stddev stddev_pop stddev_samp string_agg sum to_json to_jsonb upper var_pop var_samp variance`;

/**
 * Several arrays side by side as an item of FROM. With several arguments PostgreSQL takes `unnest` for its own, and without a schema
 * only.
 */
export function unnested(arrays: readonly Sql[]): Sql {
  return sql`${raw(arrays.length === 1 ? 'pg_catalog.unnest' : 'unnest')}(${join(arrays, ', ')})`;
}

/** Texts and quoted names, which are skipped, and one of these functions that is called without a schema. */
const CALL = new RegExp(
  `'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\\w.$])(${FUNCTIONS.split(/\s+/).join('|')})(?=\\()`,
  'g',
);

/**
 * Qualifies the functions of PostgreSQL that a text calls. Functions of users are quoted wherever they are named, so one that is
 * not is PostgreSQL's; by its name alone, a function of a user that takes exactly the given types would be called instead.
 */
function withQualifiedCalls(text: string): string {
  return text.includes('(')
    ? text.replace(CALL, (all: string, name: string | undefined) => (name ? `pg_catalog.${all}` : all))
    : text;
}

/**
 * Prints a fragment as part of a statement that gets its values in another way.
 * @param parameters gets the parameters, in order
 * @param place SQL of a parameter; positions count from 1
 */
export function printInto(
  fragment: Sql,
  parameters: ParameterNode[],
  place: (position: number) => string,
): string {
  const numbers = new Map<unknown, number>();
  const texts: string[] = [];
  let text: string[] = [];
  // A function and its parenthesis may be texts of their own.
  const flush = () => {
    texts.push(withQualifiedCalls(text.join('')));
    text = [];
  };
  eachPart(fragment, (node) => {
    if (typeof node === 'string') {
      text.push(node);
    } else if (node.kind === 'text') {
      text.push(node.text);
    } else if (node.kind === 'row') {
      throw new Error('a rule reached the printer without a row');
    } else {
      const key = keyOf(node);
      let number = key === undefined ? undefined : numbers.get(key);
      if (number === undefined || !isSame(node, parameters[number - 1]!)) {
        parameters.push(node);
        number = parameters.length;
        if (key !== undefined) numbers.set(key, number);
      }
      flush();
      texts.push(`(${place(number)})::${node.type}`);
    }
  });
  flush();
  // Joined at once: text that is added bit by bit keeps every bit in memory.
  return texts.join('');
}
