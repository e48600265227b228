/**
 * SQL as a tree of fragments, made of texts, which are identifiers, keywords and quoted literals, and parameters, which are
 * all values of requests. Everything that reaches Postgres is made here, so quoting has one place and so have parameters.
 * A fragment that is a statement, a table, a column, a rule … says so (`means`, see statement.ts), and keeps to it until it is
 * printed (print.ts): who wants to know what a statement reads or writes asks the tree, and reads no text.
 */
import type { Path } from '../errors.ts';
import type { RuleReference } from '../reason.ts';
import { remember } from '../remember.ts';

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

/** Marks a text for the layout of its statement over several lines; see layout.ts. */
export type Layout =
  /** Begins the select list of a statement. */
  | 'select'
  /** Begins a clause, or a condition behind `and` and `or`: the white space in front of it may be a line break. */
  | 'clause'
  | 'condition'
  /** Ends an entry of a list: the white space behind it may be a line break. */
  | 'entry'
  /** Ends with a parenthesis, or begins with the one that closes it. */
  | 'open'
  | 'close';

export type SqlNode =
  | { readonly kind: 'text'; readonly text: string; readonly layout?: Layout }
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
  /** The texts and parameters of the whole tree in order. */
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

/** SQL text of this project that says how the statement is laid out. */
export function laidOut(text: string, layout: Layout): Sql {
  return { nodes: [{ kind: 'text', text, layout }] };
}

export const OPEN: Sql = laidOut('(', 'open');
export const CLOSE: Sql = laidOut(')', 'close');

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
 * A fragment made of others. Its nodes are listed when they are asked for: fragments are put into each other as deep as
 * requests are nested, and each level that copied the nodes of those below would make long of deep.
 */
class Composite implements Sql {
  // No private names: estimates of memory look at the fields.
  readonly parts: readonly (string | Sql)[];
  readonly meaning: Meaning | undefined;
  private flattened: SqlNode[] | undefined = undefined;

  constructor(parts: readonly (string | Sql)[], meaning: Meaning | undefined) {
    this.parts = parts;
    this.meaning = meaning;
  }

  get nodes(): readonly SqlNode[] {
    if (!this.flattened) {
      this.flattened = [];
      this.collect(this.flattened);
    }
    return this.flattened;
  }

  private collect(nodes: SqlNode[]): void {
    for (const part of this.parts) {
      if (typeof part === 'string') nodes.push({ kind: 'text', text: part });
      else if (part instanceof Composite) part.collect(nodes);
      else nodes.push(...part.nodes);
    }
  }
}

/** What a fragment is, beyond its text; the kinds are those of statement.ts. */
interface Meaning {
  readonly kind: string;
}

/** A fragment that is printed as its parts, and is what `meaning` says. */
export function means(meaning: Meaning | undefined, parts: readonly (string | Sql)[]): Sql {
  return new Composite(parts, meaning);
}

/** What a fragment is; see `meaningOf` of statement.ts. */
export function knownMeaning(fragment: Sql): Meaning | undefined {
  return fragment instanceof Composite ? fragment.meaning : undefined;
}

/** The texts, nodes and fragments that a fragment is made of, in order. */
export function eachPart(fragment: Sql, visit: (part: string | SqlNode | Composite) => void): void {
  if (!(fragment instanceof Composite)) fragment.nodes.forEach(visit);
  else
    for (const part of fragment.parts) {
      if (typeof part === 'string' || part instanceof Composite) visit(part);
      else part.nodes.forEach(visit);
    }
}

/** Template tag: fragments are spliced, plain strings are refused by type. */
export function sql(texts: TemplateStringsArray, ...parts: readonly Sql[]): Sql {
  const all: (string | Sql)[] = [];
  for (let index = 0; index < texts.length; index += 1) {
    if (texts[index] !== '') all.push(texts[index]!);
    if (index < parts.length) all.push(parts[index]!);
  }
  return means(undefined, all);
}

/** Separators at which a line may be broken. */
const SEPARATORS: ReadonlyMap<string, Sql> = new Map([
  [', ', laidOut(', ', 'entry')],
  [' and ', laidOut(' and ', 'condition')],
  [' or ', laidOut(' or ', 'condition')],
]);

/** Fragments with a separator between them. */
export function join(parts: readonly Sql[], separator: string): Sql {
  const all: (string | Sql)[] = [];
  const between = SEPARATORS.get(separator) ?? separator;
  for (const part of parts) {
    if (all.length > 0) all.push(between);
    all.push(part);
  }
  return means(undefined, all);
}

/**
 * A call of a function or aggregate of PostgreSQL. It is qualified: by its name alone, a function of a user that takes exactly the given
 * types would be called instead.
 */
export function builtIn(name: string, ...values: readonly Sql[]): Sql {
  const start = remember(CALLS, name, () =>
    laidOut(`${SYNTAX.has(name) ? '' : 'pg_catalog.'}${name}(`, 'open'),
  );
  return means(undefined, [start, values.length === 1 ? values[0]! : join(values, ', '), CLOSE]);
}

/** How the calls of built-in functions begin, by name. */
const CALLS = new Map<string, Sql>();

/** Parts of PostgreSQL's syntax that look like functions. */
const SYNTAX: ReadonlySet<string> = new Set(['coalesce', 'nullif', 'greatest', 'least']);

/** Replaces the row of a rule by an alias of the request. */
export function bindRow({ nodes }: Sql, alias: Sql): Sql {
  const whole = wholeRow(alias);
  const parts = nodes.map((node, index): string | Sql => {
    if (node.kind === 'text') return node.text;
    if (node.kind !== 'row') return { nodes: [node] };
    const next = nodes[index + 1];
    return next?.kind === 'text' && next.text.startsWith('.') ? alias : whole;
  });
  return means(undefined, parts);
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

export const TRUE: Sql = raw('true');
/** A node, so that another condition can take its place. */
export const FALSE: Sql = sql`false`;

/** True if a fragment is the constant condition `true`; the hole of a rule is not, whatever the rule demands. */
export function isTrue(fragment: Sql): boolean {
  return (
    !(fragment instanceof Composite && (fragment.meaning || fragment.parts.length > 1)) &&
    fragment.nodes.length === 1 &&
    fragment.nodes[0]!.kind === 'text' &&
    fragment.nodes[0]!.text === 'true'
  );
}

export type ParameterNode = Extract<SqlNode, { kind: 'parameter' }>;

/** How many rows there are. */
export const COUNT: Sql = builtIn('count', raw('*'));

/** What follows an aggregate of some rows. */
export function filterOf(condition: Sql): Sql {
  return sql` filter ${OPEN}where ${condition}${CLOSE}`;
}

/**
 * Several arrays side by side as an item of FROM. With several arguments PostgreSQL takes `unnest` for its own, and without a schema
 * only.
 */
export function unnested(arrays: readonly Sql[]): Sql {
  return arrays.length === 1 ? builtIn('unnest', ...arrays) : sql`unnest${OPEN}${join(arrays, ', ')}${CLOSE}`;
}
