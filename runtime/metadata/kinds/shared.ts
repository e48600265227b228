/** Values that many kinds of metadata have: names of tables, columns, headers, addresses. */

import type { ConfiguredHeader, EnvironmentText } from '../../core/environment-template.ts';
import type { QualifiedName } from '../../core/names.ts';
import { type Codec, INVALID, type TypeOf } from '../codec.ts';
import {
  argument,
  choose,
  convert,
  type Fail,
  key,
  list,
  object,
  optional,
  requiredList,
  withDefault,
  withNames,
} from '../combinators.ts';
import { name, oneOf, text } from '../values.ts';

/** A text that may be absent. */
export const comment = key(
  'Text for readers and the GraphQL schema. Absent: from the database, or else generated; `""`: none.',
  optional(text),
);

const qualifiedNameObject = object(
  {
    name: key('Name of the table, view or function.', name),
    schema: key('Schema of the database.', {
      ...withDefault(name, 'public'),
      write: (schema: string) => schema,
    }),
  },
  { title: 'Qualified name' },
);

/** The name of a table or function: `"author"` or `{name, schema = "public"}`. */
export const qualifiedName: Codec<QualifiedName> = choose(
  (input) =>
    typeof input === 'string'
      ? argument(name, (given) => ({ schema: 'public', name: given }))
      : qualifiedNameObject,
  qualifiedNameObject,
);

/** The name of a table of the source that the value belongs to. */
export const tableName = withNames(qualifiedName, (given, walk) => walk.table(given));

/** `"*"` means every column that the table has when it is compiled. */
export type ColumnChoice = '*' | readonly string[];

/** `"*"` or a list of columns of the table that the value belongs to. */
export const columns = columnsOr(() => requiredList(text));

/** @param others reads what is not `"*"`, or says why it is refused */
export function columnsOr(others: (input: unknown) => Codec<ColumnChoice> | string): Codec<ColumnChoice> {
  return withNames(
    choose<ColumnChoice>((input) => (input === '*' ? oneOf('*') : others(input))),
    (given, walk) => (given === '*' ? given : given.map((column) => walk.column(column))),
  );
}

export type FromEnvironment = TypeOf<typeof fromEnvironment>;
export const fromEnvironment = object({ from_env: key('Name of the environment variable.', name) });

const anyHeader: Codec<ConfiguredHeader> = convert(
  object(
    {
      name: key('Name of the header.', name),
      value: key('Its value; `{{NAME}}` stands for an environment variable.', optional(text)),
      value_from_env: key(
        'Environment variable that holds the value. Variables of the server itself are refused.',
        optional(name),
      ),
    },
    { title: 'Header' },
  ),
  {
    read: ({ name: given, value, value_from_env }, fail): ConfiguredHeader => {
      if ((value === undefined) === (value_from_env === undefined)) {
        fail('expecting only one of value or value_from_env keys');
      }
      return { name: given, value: value_from_env === undefined ? (value ?? '') : { env: value_from_env } };
    },
    write: ({ name, value }) =>
      typeof value === 'string' ? { name, value } : { name, value_from_env: value.env },
  },
);

/** Variables of the server itself (its secrets among them) are never sent anywhere. */
export const header: Codec<ConfiguredHeader> = {
  ...anyHeader,
  read: (input, reading) => {
    const found = anyHeader.read(input, reading);
    if (found === INVALID || typeof found.value === 'string') return found;
    const { env } = found.value;
    const own = reading.vocabulary.environment('');
    if (!env.startsWith(own)) return found;
    return reading.problem(`env variables starting with "${own}" are not allowed in value_from_env: ${env}`);
  },
};

export const headers: Codec<readonly ConfiguredHeader[]> = key(
  'Headers that are added to each request.',
  list(header),
);

/** One of two keys, a text or the name of an environment variable, as an address; fails if both or neither are given. */
export function toAddress(
  template: string | undefined,
  variable: string | undefined,
  keys: readonly [string, string],
  fail: Fail,
): EnvironmentText {
  if (template !== undefined && variable !== undefined)
    fail(`only one of ${keys[0]} or ${keys[1]} should be given`);
  if (template === undefined && variable === undefined) fail(`must provide ${keys[0]} or ${keys[1]}`);
  return variable === undefined ? (template ?? '') : { env: variable };
}
