import type { Located } from '../../core/json/json.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  convert,
  key,
  list,
  object,
  optional,
  printedDefault,
  requiredList,
  withDefault,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import { boolean, graphqlName, graphqlType, name, oneOf, positiveNumber, text } from '../values.ts';
import { rolePermissions } from './permission.ts';
import { comment, headers } from './shared.ts';
import { requestTransform, responseTransform } from './transform.ts';

export type ActionArgument = TypeOf<typeof actionArgument>;
const actionArgument = object({
  name: key('Name of the argument.', graphqlName),
  type: key(
    'Its GraphQL type: a built-in scalar, an input object, enum or scalar of `custom_types`, or a type of PostgreSQL.',
    graphqlType,
  ),
  description: key('Text for the GraphQL schema.', optional(text)),
});

const actionType: Codec<'query' | 'mutation'> = {
  ...oneOf('query', 'mutation'),
  read: (input, reading) =>
    input === 'query' || input === 'mutation'
      ? input
      : reading.problem(
          `expected mutation or query, but found ${typeof input === 'string' ? input : JSON.stringify(input)}`,
        ),
};

const rawActionDefinition = object({
  handler: key('URL of the webhook; `{{NAME}}` stands for an environment variable.', text),
  output_type: key('GraphQL type of the answer, such as `[Result!]!`.', graphqlType),
  forward_client_headers: key(
    'Pass the headers of the client on to the handler.',
    withDefault(boolean, false),
  ),
  ignored_client_headers: key(
    'Headers of the client that are not passed on. Absent: those that belong to the connection, such as `Host` and `Content-Length`.',
    optional(requiredList(name)),
  ),
  headers,
  arguments: key('Arguments of the field.', list(actionArgument)),
  request_transform: requestTransform,
  response_transform: responseTransform,
  type: key('Root type that gets the field.', printedDefault(actionType, 'mutation')),
  kind: key(
    'Of mutations: `asynchronous` answers with an id at once, and the result is read by it later.',
    optional(oneOf('synchronous', 'asynchronous', '')),
  ),
  timeout: key('Maximum duration of a call in seconds.', withDefault(positiveNumber, 30)),
});

export type ActionDefinition = Omit<TypeOf<typeof rawActionDefinition>, 'kind'> & {
  /** Queries are always synchronous. */
  readonly kind: 'synchronous' | 'asynchronous';
};

/** `kind` means something for mutations only; for queries files carry `""`, and exports nothing. */
const actionDefinition = convert(rawActionDefinition, {
  read: (raw): ActionDefinition => ({
    ...raw,
    kind: raw.type === 'mutation' && raw.kind === 'asynchronous' ? raw.kind : 'synchronous',
  }),
  write: ({ kind, ...raw }) => (raw.type === 'mutation' ? { ...raw, kind } : raw),
});

const headFields = {
  name: key('Name of the field in the root type.', graphqlName),
  definition: key('What is called, with what, and what it answers.', actionDefinition),
  comment,
};

/** An action without its permissions. */
export const actionHead = object(headFields);

export type Action = TypeOf<typeof action> & Located;
const action = object({ ...headFields, permissions: rolePermissions }, { title: 'Action' });

export const actions = keyedEntries(action, { kind: 'actions', key: (entry) => entry.name });
