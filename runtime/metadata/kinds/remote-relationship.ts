import { isObject, type Json, type JsonObject, type Located } from '../../core/json/json.ts';
import { CANONICAL } from '../../core/vocabulary.ts';
import type { Codec, TypeOf } from '../codec.ts';
import {
  choose,
  convert,
  extension,
  key,
  object,
  optional,
  printedDefault,
  record,
  requiredList,
  withNames,
} from '../combinators.ts';
import { mappedTableNames, type Walk } from '../references.ts';
import { jsonObject, name, oneOf } from '../values.ts';
import { qualifiedName } from './shared.ts';

export type RemoteRelationship = TypeOf<typeof remoteRelationship> & Located;

export interface RemoteFieldCall {
  readonly field: string;
  /** Literals, nested values, and `"$name"` for a field of this side. */
  readonly arguments: JsonObject;
}

interface CallForm {
  readonly arguments: JsonObject;
  readonly field?: readonly RemoteFieldCall[];
}

/** `{field: {arguments, field?: {…}}}`, one key a level, as a list from the root inwards. */
const remoteField: Codec<readonly RemoteFieldCall[]> = choose<readonly RemoteFieldCall[]>(
  (input) => {
    const count = isObject(input) ? Object.keys(input).length : 1;
    if (count === 1) return calls;
    return `Expecting one single mapping, received ${count === 0 ? 'none' : 'too many'}.`;
  },
  () => calls,
);

const calls: Codec<readonly RemoteFieldCall[]> = convert(
  record<CallForm>(
    object(
      {
        arguments: key(
          'Arguments of the field: literals, or `$name` for a field of this side.',
          printedDefault<JsonObject>(jsonObject, {}),
        ),
        field: key('The field below it that is called.', optional(remoteField)),
      },
      { title: 'Remote field' },
    ),
  ),
  {
    read: (fields) =>
      Object.entries(fields).flatMap(([field, call]) => [
        { field, arguments: call.arguments },
        ...(call.field ?? []),
      ]),
    write: ([call, ...inner]) =>
      call === undefined
        ? {}
        : { [call.field]: { arguments: call.arguments, ...(inner.length > 0 && { field: inner }) } },
  },
);

interface ToRemoteSchema {
  readonly kind: 'to_remote_schema';
  /** Written in the older form without `to_remote_schema`, with this key for `lhs_fields`; export keeps the form. */
  readonly flat?: string;
  readonly remote_schema: string;
  /** Columns or fields of this side that the arguments may use as `$name`. */
  readonly lhs_fields: readonly string[];
  /** From the root field inwards; one call a level. */
  readonly remote_field: readonly RemoteFieldCall[];
  /** `null`: the field is null where the remote schema fails, and the answer lists the error. Default: the request fails. */
  readonly on_error?: 'fail' | 'null';
}

const toRemoteSchema: Codec<ToRemoteSchema> = convert(
  object({
    lhs_fields: key(
      'Columns or fields of this side that arguments may use.',
      printedDefault<readonly string[]>(requiredList(name), []),
    ),
    remote_field: key('Name of the root field → how it is called.', remoteField),
    remote_schema: key('The remote schema.', name),
    on_error: extension(
      '`null`: where the remote schema fails, the field is null and the answer lists the error. Absent: the request fails.',
      optional(oneOf('fail', 'null')),
    ),
  }),
  {
    read: (raw): ToRemoteSchema => ({ kind: 'to_remote_schema', ...raw }),
    write: ({ kind: _, flat: __, ...raw }: ToRemoteSchema) => raw,
  },
);

interface FlatForm {
  /** `lhs_fields`, under a key that has the vocabulary's word. */
  readonly [fieldsKey: string]: unknown;
  readonly remote_field: readonly RemoteFieldCall[];
  readonly remote_schema: string;
}

/** The older form. Its key for `lhs_fields` has the vocabulary's word. */
function flatForm(fieldsKey: string): Codec<ToRemoteSchema> {
  const fields = {
    [fieldsKey]: key('Older form: `lhs_fields` of `to_remote_schema`.', requiredList(name)),
    remote_field: key('Older form: the same key of `to_remote_schema`.', remoteField),
    remote_schema: key('Older form: the same key of `to_remote_schema`.', name),
  };
  return convert(object(fields) as unknown as Codec<FlatForm>, {
    read: ({ remote_schema, remote_field, [fieldsKey]: lhs_fields }): ToRemoteSchema => ({
      kind: 'to_remote_schema',
      flat: fieldsKey,
      remote_schema,
      lhs_fields: lhs_fields as readonly string[],
      remote_field,
    }),
    write: ({ remote_schema, lhs_fields, remote_field }) => ({
      [fieldsKey]: lhs_fields,
      remote_field,
      remote_schema,
    }),
  });
}

const flatToRemoteSchema: Codec<ToRemoteSchema> = {
  ...flatForm(CANONICAL.fieldsKey),
  read: (input, reading) => flatForm(reading.vocabulary.fieldsKey).read(input, reading),
  write: (given) => flatForm(given.flat!).write(given),
};

const toSourceFields = object({
  field_mapping: key('Field of this side → column of the other.', record(name)),
  relationship_type: key('One row, or a list of rows.', oneOf('object', 'array')),
  source: key('The other source.', name),
  table: key('The table there.', qualifiedName),
});

type ToSource = { readonly kind: 'to_source' } & TypeOf<typeof toSourceFields>;

const toSource: Codec<ToSource> = convert(toSourceFields, {
  read: (raw) => ({ kind: 'to_source', ...raw }),
  write: ({ kind: _, ...raw }) => raw,
});

export type RemoteRelationshipDefinition = ToRemoteSchema | ToSource;

const nestedDefinition: Codec<RemoteRelationshipDefinition> = convert(
  object({
    to_source: key(
      'Rows of a table of another source. This key or `to_remote_schema` is required.',
      optional(toSource),
    ),
    to_remote_schema: key('A field of a remote schema.', optional(toRemoteSchema)),
  }),
  {
    read: ({ to_source, to_remote_schema }, fail): RemoteRelationshipDefinition => {
      if ((to_source === undefined) === (to_remote_schema === undefined)) {
        fail('expecting exactly one of to_source, to_remote_schema');
      }
      return (to_source ?? to_remote_schema)!;
    },
    write: (definition) =>
      definition.kind === 'to_source' ? { to_source: definition } : { to_remote_schema: definition },
  },
);

/** `{to_remote_schema}`, `{to_source}`, or the older flat `{remote_schema, engine_fields, remote_field}`. */
export const remoteRelationshipDefinition: Codec<RemoteRelationshipDefinition> = withNames(
  choose<RemoteRelationshipDefinition>(
    (input) =>
      (isObject(input) && 'remote_schema' in input
        ? flatToRemoteSchema
        : nestedDefinition) as Codec<RemoteRelationshipDefinition>,
    (definition) =>
      (definition.kind === 'to_remote_schema' && definition.flat
        ? flatToRemoteSchema
        : nestedDefinition) as Codec<RemoteRelationshipDefinition>,
  ),
  definitionNames,
);

/** An entry of the remote relationships of a table or of a remote schema's type. */
export const remoteRelationship = object(
  {
    name: key('Name of the field.', name),
    definition: key('Where it leads.', remoteRelationshipDefinition),
  },
  { title: 'Remote relationship' },
);

/** Fields of this side that are columns of the owning table; `$name` in the arguments of a remote field follows. */
function definitionNames(definition: RemoteRelationshipDefinition, walk: Walk): RemoteRelationshipDefinition {
  const { table, context } = walk.place;
  const ownField = (given: string) =>
    context.field(table, given)?.kind === 'column' ? walk.column(given) : given;
  if (definition.kind === 'to_source') {
    const mapped = mappedTableNames(definition, walk);
    const mapping = Object.entries(mapped.field_mapping).map(([own, other]) => [ownField(own), other]);
    return { ...definition, ...mapped, field_mapping: Object.fromEntries(mapping) };
  }
  const fields = definition.lhs_fields.map(ownField);
  const renamed = new Map(definition.lhs_fields.map((given, index) => [`$${given}`, `$${fields[index]}`]));
  return {
    ...definition,
    remote_schema: walk.remoteSchema(definition.remote_schema),
    lhs_fields: fields,
    remote_field: definition.remote_field.map((call) => ({
      ...call,
      arguments: mapTexts(call.arguments, (given) => renamed.get(given) ?? given) as JsonObject,
    })),
  };
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]));
}
