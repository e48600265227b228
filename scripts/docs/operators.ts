/** docs/operators.md: conditions, with every operator from its table, and the examples of `operators.yaml`, which a test runs. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import {
  COLUMN_OPERATORS,
  METADATA_SPELLINGS,
  OPERATORS,
  type Operator,
  type OperatorArgument,
} from '../../runtime/core/operators.ts';
import { raw } from '../../runtime/core/sql/fragment.ts';
import { print } from '../../runtime/core/sql/print.ts';
import { type ColumnType, columnType } from '../../runtime/core/types.ts';

export interface Example {
  /** A condition of requests and of rules. */
  readonly where?: Condition;
  /** A condition of rules only. */
  readonly rule?: Condition;
  /** Ids of the rows that it is true for. */
  readonly rows: readonly number[];
}

type Condition = Readonly<Record<string, unknown>>;

export interface ExampleSet {
  readonly title: string;
  readonly note: string;
  readonly postgis?: true;
  readonly schema: string;
  readonly examples: readonly Example[];
}

export const exampleSets = (
  parse(readFileSync(new URL('operators.yaml', import.meta.url), 'utf8')) as { sets: readonly ExampleSet[] }
).sets;

/** One type of each kind that operators tell apart. */
const TYPES: Readonly<Record<string, ColumnType>> = Object.fromEntries(
  [
    ['numbers, dates and others', 'int4'],
    ['text', 'text'],
    ['jsonb', 'jsonb'],
    ['arrays', 'text[]'],
    ['box, path, line', 'box'],
    ...['ltree', 'geometry', 'geography', 'raster'].map((name) => [name, `public.${name}`]),
  ].map(([words, key]) => [words, columnType(SHAPE(), key!)]),
);

function SHAPE(): Parameters<typeof columnType>[0] {
  const base = { kind: 'base' } as const;
  const types = {
    'public.ltree': base,
    'public.geometry': base,
    'public.geography': base,
    'public.raster': base,
  };
  return { name: 'default', types } as unknown as Parameters<typeof columnType>[0];
}

/** Kinds of columns that have the operator, or that lack it, whichever list is shorter. */
function columnsOf({ accepts }: Operator): string {
  const names = Object.keys(TYPES);
  const with_ = names.filter((name) => accepts(TYPES[name]!));
  const without = names.filter((name) => !accepts(TYPES[name]!));
  if (without.length === 0) return 'all';
  return with_.length <= without.length ? with_.join(', ') : `all but ${without.join(', ')}`;
}

function argumentOf(argument: OperatorArgument): string {
  switch (argument.kind) {
    case 'same':
      return 'of the type of the column';
    case 'list':
      return 'list of these';
    case 'type':
      return argument.list ? `list of \`${argument.type}\`` : `\`${argument.type}\``;
    case 'object':
      return argument.fields
        .map(({ name, required }) => `\`${name}\`${required ? '' : ' (optional)'}`)
        .join(', ');
  }
}

/** The SQL of a comparison; `a`, `b` … are the values. */
function sqlOf({ accepts, argument, sql }: Operator): string {
  const type = Object.values(TYPES).find(accepts)!;
  const names = argument.kind === 'object' ? argument.fields.map(({ name }) => name) : ['value'];
  return print(sql(type, raw('column'), ...names.map(raw))).text;
}

function isExampleOf(operator: Operator) {
  return ({ where }: Example, { schema }: ExampleSet) => {
    const [column, comparison] = Object.entries(where ?? {})[0] ?? [];
    const declared = new RegExp(`\\b${column} (\\w+(?:\\[\\])?)`).exec(schema)?.[1];
    if (column === undefined || declared === undefined) return false;
    const key = { int: 'int4', numeric: 'numeric' }[declared] ?? declared;
    const type = TYPES[key === 'text[]' ? 'arrays' : key] ?? TYPES['numbers, dates and others']!;
    return Object.hasOwn(comparison as object, operator.name) && operator.accepts(type);
  };
}

/** The example of an operator; undefined if there is none. */
export function exampleOf(operator: Operator): Example | undefined {
  const fits = isExampleOf(operator);
  return exampleSets.flatMap((set) => set.examples.filter((example) => fits(example, set)))[0];
}

/** Examples of what is not an operator of the table. */
function others(keys: readonly string[]): string {
  const found = exampleSets
    .flatMap(({ examples }) => examples)
    .filter(({ where, rule }) => keys.some((key) => JSON.stringify(where ?? rule).includes(`"${key}"`)));
  return found
    .map(({ where, rule, rows }) => `| ${code(where ?? rule!)} | ${rows.join(', ') || 'none'} |`)
    .join('\n');
}

function code(condition: Condition): string {
  const text = JSON.stringify(condition)
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')
    .replaceAll('|', '\\|');
  return `\`${text}\``;
}

export function operatorsPage(): string {
  const rows = OPERATORS.map((operator) => {
    const example = exampleOf(operator);
    const cells = [
      `\`${operator.name}\``,
      columnsOf(operator),
      argumentOf(operator.argument),
      operator.description ?? operator.meaning ?? '',
      `\`${sqlOf(operator)}\``,
      example === undefined ? '' : code(example.where!),
    ];
    return `| ${cells.map((cell) => (cell.startsWith('`{') ? cell : cell.replaceAll('|', '\\|'))).join(' | ')} |`;
  });
  const spellings = Object.entries(METADATA_SPELLINGS).map(([old, now]) => `\`${old}\` for \`${now}\``);
  const columns = Object.entries(COLUMN_OPERATORS).map(([name, symbol]) => `| \`${name}\` | \`${symbol}\` |`);
  return `# Operators

Conditions of rows: \`where\` of requests, and \`filter\` and \`check\` of permissions. Both read the same table, so an operator means the same
in either. Generated by \`npm run generate:docs\` from \`runtime/core/operators.ts\`; do not edit. A test runs every example, in a request and as a rule.

## Grammar

A condition is an object. Its keys are joined by *and*; \`{}\` is true for every row.

| Key | Value |
|---|---|
| a column | an object of operators: \`{"price": {"_gt": 10, "_lt": 20}}\`. In rules a bare value means \`_eq\` |
| a relationship | a condition of the row it leads to, or of at least one of its rows: \`{"author": {"name": {"_eq": "Ann"}}}\` |
| a computed field | operators, or a condition of the rows that it gives |
| \`_and\`, \`_or\` | a list of conditions. An empty \`_or\` is false |
| \`_not\` | a condition |
| \`_exists\` | rules only: \`{"_table": …, "_where": …}\`, whether any row of a table satisfies a condition, related or not |
| \`name_aggregate\` | requests only: conditions of counts and aggregates of an array relationship |

In rules, a value that is the name of a session variable, such as \`X-Engine-User-Id\`, stands for its value; for a list, a variable
that holds an array of PostgreSQL (\`{1,2}\`). \`$eq\` is the same as \`_eq\`, and so on. Further spellings of rules: ${spellings.join(', ')}.

\`null\`: in requests an operator whose value is \`null\` is refused; \`_is_null\` asks for it. In rules \`{"_eq": null}\` is \`{"_is_null": true}\`,
and \`_neq\` finds rows without a value, too. Everything else is as in SQL: a comparison with a column that is null is neither true nor false,
so \`_nin\`, \`_nlike\` and, in requests, \`_neq\` do not find such rows.

| Condition | Rows of the table below |
|---|---|
${others(['_and', '_or', '_not', '_exists', '_is_null', '_cast', '_ne', '$eq'])}

## All operators

\`SQL\` shows how the column and the value are compared.

| Operator | Columns | Value | Meaning | SQL | Example |
|---|---|---|---|---|---|
${rows.join('\n')}
| \`_is_null\` | all | \`Boolean\` | is the column null (\`true\`), or not (\`false\`) | \`(column is null)\` | ${code({ price: { _is_null: true } })} |
| \`_cast\` | jsonb, geometry, geography | object, type → operators | compares as another type: \`jsonb\` as \`String\`, \`geometry\` and \`geography\` as each other | \`column::type\` | ${code({ data: { _cast: { String: { _like: '%red%' } } } })} |

## Columns with each other

In rules, two columns of the same type: \`"column"\` or \`["column"]\` of the same row, \`["$", "column"]\` of the row of the table that the permission
belongs to.

| Operator | SQL |
|---|---|
${columns.join('\n')}

| Condition | Rows |
|---|---|
${others(Object.keys(COLUMN_OPERATORS))}

## The rows of the examples

${exampleSets.map(({ title, note, schema }) => `${title}: ${note}\n\n\`\`\`sql\n${schema.trim()}\n\`\`\``).join('\n\n')}

\`geometry\` and \`geography\` need the extension PostGIS, \`raster\` its part \`postgis_raster\`, \`ltree\` the extension of that name. Operators of rasters have no
example here.
`;
}
