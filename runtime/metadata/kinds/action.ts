import type { Located } from '../../core/json/json.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  convert,
  list,
  object,
  optional,
  printedDefault,
  requiredList,
  withDefault,
} from '../combinators.ts';
import { keyedEntries } from '../entries.ts';
import {
  boolean,
  graphqlName,
  graphqlType,
  jsonObject,
  name,
  oneOf,
  positiveNumber,
  text,
} from '../values.ts';
import { rolePermissions } from './permission.ts';
import { comment, headers } from './shared.ts';

export type ActionArgument = TypeOf<typeof actionArgument>;
const actionArgument = object({ name: graphqlName, type: graphqlType, description: optional(text) });

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
  /** May hold `{{NAME}}` for environment variables. */
  handler: text,
  /** A GraphQL type, e.g. `[Result!]!`. */
  output_type: graphqlType,
  forward_client_headers: withDefault(boolean, false),
  ignored_client_headers: optional(requiredList(name)),
  headers,
  arguments: list(actionArgument),
  request_transform: optional(jsonObject),
  response_transform: optional(jsonObject),
  type: printedDefault(actionType, 'mutation'),
  kind: optional(oneOf('synchronous', 'asynchronous', '')),
  /** Seconds; 30 unless given. */
  timeout: withDefault(positiveNumber, 30),
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

const headFields = { name: graphqlName, definition: actionDefinition, comment };

/** An action without its permissions. */
export const actionHead = object(headFields);

export type Action = TypeOf<typeof action> & Located;
const action = object({ ...headFields, permissions: rolePermissions });

export const actions = keyedEntries(action, { kind: 'actions', key: (entry) => entry.name });
