import { isObject, type Located } from '../../core/json/json.ts';
import { displayName } from '../../core/names.ts';
import type { TypeOf } from '../codec.ts';
import {
  argument,
  choose,
  key,
  object,
  optional,
  sorted,
  unlessEmpty,
  withDefault,
  withNames,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { graphqlName, jsonObject, oneOf, text } from '../values.ts';
import { rolePermissions } from './permission.ts';
import { comment, qualifiedName } from './shared.ts';

const customRootFields = object({
  function: key('Name of the root field.', optional(graphqlName)),
  function_aggregate: key('Name of the root field with aggregates.', optional(graphqlName)),
});

export type FunctionConfiguration = TypeOf<typeof functionConfiguration>;
export const functionConfiguration = object({
  custom_name: key('Name in GraphQL in place of the name in the database.', optional(graphqlName)),
  custom_root_fields: key(
    'Names of single root fields; they win over `custom_name`.',
    withDefault<TypeOf<typeof customRootFields>>(customRootFields, {}),
  ),
  exposed_as: key(
    'Root type that gets the field. Absent: `mutation` for a `VOLATILE` function, `query` for others.',
    optional(oneOf('query', 'mutation')),
  ),
  response: key('Kept, without effect.', optional(jsonObject)),
  session_argument: key(
    'Argument (of type `json` or `jsonb`) that gets the session variables.',
    optional(text),
  ),
});

const functionObject = object(
  {
    function: key('The function; it returns rows of a tracked table.', qualifiedName),
    configuration: key(
      'Names and the root type.',
      unlessEmpty(
        withDefault<FunctionConfiguration>(sorted(functionConfiguration), { custom_root_fields: {} }),
      ),
    ),
    permissions: rolePermissions,
    comment,
  },
  { title: 'Function' },
);

/** An entry of a source's functions. A bare name (metadata version 1) is an entry without configuration. */
const functionEntry = withNames(
  choose<TypeOf<typeof functionObject>>((input) => {
    const isBareName =
      typeof input === 'string' || (isObject(input) && 'name' in input && !('function' in input));
    return isBareName
      ? argument(qualifiedName, (name) => ({
          function: name,
          configuration: { custom_root_fields: {} },
          permissions: [],
        }))
      : functionObject;
  }, functionObject),
  (entry, walk) => {
    walk.returnedTable(entry.function);
    return entry;
  },
);

export type FunctionEntry = TypeOf<typeof functionEntry> & Located;

export const functionEntries = keyedEntries(functionEntry, {
  kind: 'functions',
  key: (entry) => displayName(entry.function.schema, entry.function.name),
  order: (entry) => [entry.function.schema, entry.function.name],
  dependent: (entry, { source }) => ({ kind: 'function', source, function: entry.function }),
});
