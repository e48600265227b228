import { z } from 'zod';
import { EngineError } from '../../core/errors.ts';
import type {
  QualifiedName,
  RemoteRelationship,
  RemoteRelationshipDefinition,
} from '../../metadata/metadata.ts';
import { remoteRelationshipDefinitionSchema } from '../../metadata/schemas/relationship.ts';
import { isObject, nameSchema, object } from '../../metadata/schemas/shared.ts';
import { validateNested } from '../../metadata/validate.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, replaceWhere, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { warnNotServed } from '../not-served.ts';
import { METADATA_AND_LEGACY, type Operation, operation, SUCCESS } from '../operation.ts';
import { fieldNames } from '../table-fields.ts';

interface NameArguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly name: string;
}

interface Arguments extends NameArguments {
  readonly definition: RemoteRelationshipDefinition;
}

const nameArguments = object<NameArguments>({ ...tableArguments, name: nameSchema });

/** The definition under its key, or flat beside the name. */
const relationshipArguments = z.unknown().transform((input, context) => {
  const { table, source, name, definition, ...flat } = isObject(input) ? input : {};
  const head = validateNested(
    nameArguments,
    isObject(input) ? defined({ table, source, name }) : input,
    context,
  );
  if (definition !== undefined && Object.keys(flat).length > 0) {
    const message = 'expecting either "definition" or the flat form, not both';
    context.issues.push({ code: 'custom', message, input });
    return z.NEVER;
  }
  const form = validateDefinition(definition, flat, context);
  return head === undefined || form === undefined ? z.NEVER : { ...head, definition: form };
}) as z.ZodType<Arguments>;

/** Problems are said to be below `definition` where it was given. */
function validateDefinition(
  definition: unknown,
  flat: object,
  context: z.RefinementCtx,
): RemoteRelationshipDefinition | undefined {
  if (definition === undefined) return validateNested(remoteRelationshipDefinitionSchema, flat, context);
  const wrapped = object<{ definition: RemoteRelationshipDefinition }>({
    definition: remoteRelationshipDefinitionSchema,
  });
  return validateNested(wrapped, { definition }, context)?.definition;
}

function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, property]) => property !== undefined));
}

const target = ({ source, table, name }: NameArguments) => [
  tablePart('remote_relationship', name, source, table),
];

function writeRemoteRelationship(verb: 'create' | 'update', documentation: string): Operation {
  return operation<Arguments>({
    name: `${verb}_remote_relationship`,
    spelling: 'either',
    endpoints: METADATA_AND_LEGACY,
    documentation,
    arguments: relationshipArguments,
    policy: 'target',
    targets: target,
    changesMetadata: true,
    run: ({ source, table, name, definition }, copy) => {
      const entry = findTable(copy.metadata, source, table);
      if (verb === 'update') requireRemoteRelationship(entry.remote_relationships, name);
      else if (fieldNames(entry).has(name)) {
        throw new EngineError(
          'already-exists',
          `field with name "${name}" already exists in table ${quoted(table)}`,
        );
      }
      const written: RemoteRelationship = { ...NO_PATH, name, definition };
      copy.metadata = withTable(copy.metadata, source, table, (found) => ({
        ...found,
        remote_relationships:
          verb === 'create'
            ? [...found.remote_relationships, written]
            : replaceWhere(
                found.remote_relationships,
                (candidate) => candidate.name === name,
                () => written,
              ),
      }));
      warnNotServed(copy, 'remote_relationship', name, 'Remote relationships');
      return SUCCESS;
    },
  });
}

export const createRemoteRelationship = writeRemoteRelationship(
  'create',
  'Connects rows of a table with a field of a remote schema, or with a table of another source.',
);

export const updateRemoteRelationship = writeRemoteRelationship(
  'update',
  'Replaces the definition of a remote relationship.',
);

export const deleteRemoteRelationship = operation<NameArguments>({
  name: 'delete_remote_relationship',
  spelling: 'either',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Deletes a remote relationship.',
  arguments: nameArguments,
  policy: 'target',
  changesMetadata: true,
  run: ({ source, table, name }, copy) => {
    requireRemoteRelationship(findTable(copy.metadata, source, table).remote_relationships, name);
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...entry,
      remote_relationships: entry.remote_relationships.filter((candidate) => candidate.name !== name),
    }));
    return SUCCESS;
  },
});

function requireRemoteRelationship(list: readonly RemoteRelationship[], name: string): void {
  if (list.some((entry) => entry.name === name)) return;
  throw new EngineError('not-exists', `"${name}" does not exist`);
}
