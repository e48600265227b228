/** Native queries and logical models: what tracks, shows and drops them. */
import { EngineError } from '../../core/errors.ts';
import { ADMIN_ROLE } from '../../core/session.ts';
import type { Codec } from '../../metadata/codec.ts';
import { key, object } from '../../metadata/combinators.ts';
import {
  logicalModel,
  logicalModelPermissionEntry,
  logicalModels,
} from '../../metadata/kinds/logical-model.ts';
import { nativeQueries, nativeQuery } from '../../metadata/kinds/native-query.ts';
import type { LogicalModel, LogicalType, NativeQuery, Source } from '../../metadata/metadata.ts';
import { name } from '../../metadata/values.ts';
import { findSource, replaceWhere, withSource } from '../change/edit.ts';
import { sourceArgument } from '../request/arguments.ts';
import { type KeyedList, listOperations } from '../request/list-operations.ts';
import { type ObjectIdentity, sourceObject } from '../request/names.ts';
import { METADATA, type MetadataOperation, operation } from '../request/operation.ts';

const common = { spelling: 'prefixed', endpoints: METADATA } as const;

interface Place {
  readonly source: string;
}
interface ModelPlace extends Place {
  readonly name: string;
}

const queryList: KeyedList<Place, NativeQuery> = {
  key: 'root_field_name',
  place: ['source'],
  read: (metadata, { source }) => findSource(metadata, source).native_queries,
  update: (metadata, { source }, change) =>
    withSource(metadata, source, (owner) => ({ ...owner, native_queries: change(owner.native_queries) })),
};

const modelList: KeyedList<Place, LogicalModel> = {
  key: 'name',
  place: ['source'],
  read: (metadata, { source }) => findSource(metadata, source).logical_models,
  update: (metadata, { source }, change) =>
    withSource(metadata, source, (owner) => ({ ...owner, logical_models: change(owner.logical_models) })),
};

const permissionList: KeyedList<ModelPlace, LogicalModel['select_permissions'][number]> = {
  key: 'role',
  place: ['source', 'name'],
  read: (metadata, { source, name: model }) =>
    findModel(findSource(metadata, source), model).select_permissions,
  update: (metadata, place, change) =>
    modelList.update(metadata, place, (models) =>
      replaceWhere(
        models,
        (model) => model.name === place.name,
        (model) => ({ ...model, select_permissions: change(model.select_permissions) }),
      ),
    ),
};

function findModel(source: Source, model: string): LogicalModel {
  const found = source.logical_models.find((each) => each.name === model);
  if (!found) throw noModel(model, source.name);
  return found;
}

function noModel(model: string, source: string): EngineError {
  return new EngineError('not-found', `Logical model "${model}" not found in source "${source}".`);
}

const queryOperations = listOperations(queryList, common, (query, { source }) => [
  inSource('native_query', query, source),
]);
const modelOperations = listOperations(modelList, common, (model, { source }) => [
  inSource('logical_model', model, source),
]);
const permissionOperations = listOperations(permissionList, common, (role, { name: model, source }) => {
  const owner = inSource('logical_model', model, source);
  const type = 'select_permission';
  return [{ type, name: `${type} ${role} in ${owner.name}`, within: [owner, sourceObject(source)] }];
});

function inSource(type: string, object: string, source: string): ObjectIdentity {
  return { type, name: `${type} ${object} in source ${source}`, within: [sourceObject(source)] };
}

/** An operation that answers with the entries of a list, as exports write them. */
function listing<Key extends 'native_queries' | 'logical_models'>(
  operationName: string,
  documentation: string,
  key: Key,
  codec: Codec<Source[Key]>,
): MetadataOperation {
  return operation<Place>({
    ...common,
    name: operationName,
    documentation,
    arguments: object({ source: sourceArgument }),
    changesMetadata: false,
    run: ({ source }, copy) => codec.write(findSource(copy.metadata, source)[key]) ?? [],
  });
}

/** A model is dropped last: what is still made of it would be left without its rows. */
function requireUnused({ source, name: model }: ModelPlace, owner: Source): void {
  const users = [
    ...owner.native_queries
      .filter(({ returns }) => returns === model)
      .map(({ root_field_name }) => `native query "${root_field_name}"`),
    ...owner.logical_models
      .filter((each) => each.name !== model && each.fields.some(({ type }) => mentions(type, model)))
      .map((each) => `logical model "${each.name}"`),
  ];
  if (users.length > 0)
    throw new EngineError(
      'constraint-violation',
      `Logical model "${model}" of source "${source}" is still being used by ${users.join(', ')}.`,
    );
}

function mentions(type: LogicalType, model: string): boolean {
  if (type.kind === 'array') return mentions(type.array, model);
  return type.kind === 'model' && type.logical_model === model;
}

const permissionTaken = ({ name: model, role }: ModelPlace & { readonly role: string }) =>
  new EngineError(
    'already-exists',
    `select permission already defined on logical model "${model}" with role "${role}"`,
  );

export const nativeQueryOperations: readonly MetadataOperation[] = [
  modelOperations.create({
    name: 'track_logical_model',
    documentation: 'Declares the fields that rows of native queries have.',
    arguments: object({ source: sourceArgument, ...logicalModel.fields }) as never as Codec<
      Place & LogicalModel
    >,
    taken: ({ name: model }) =>
      new EngineError('already-tracked', `Logical model "${model}" is already tracked.`),
  }),
  modelOperations.drop<ModelPlace>({
    name: 'untrack_logical_model',
    documentation: 'Drops a logical model that no native query and no other model uses.',
    arguments: object({ source: sourceArgument, name }),
    missing: ({ name: model, source }) => noModel(model, source),
    after: (args, copy) => requireUnused(args, findSource(copy.metadata, args.source)),
  }),
  listing('get_logical_model', 'The logical models of a source.', 'logical_models', logicalModels),
  permissionOperations.create({
    name: 'create_logical_model_select_permission',
    documentation:
      'Lets a role read fields of the rows that a filter admits, of every query with this model.',
    arguments: object({
      source: sourceArgument,
      name,
      ...logicalModelPermissionEntry.fields,
    }) as never as Codec<ModelPlace & LogicalModel['select_permissions'][number]>,
    taken: permissionTaken,
    after: (args) => {
      if (args.role === ADMIN_ROLE) throw permissionTaken(args);
    },
  }),
  permissionOperations.drop<ModelPlace & { readonly role: string }>({
    name: 'drop_logical_model_select_permission',
    documentation: 'Drops the permission of a role on a logical model.',
    arguments: object({ source: sourceArgument, name, role: name }),
    missing: ({ name: model, role }) =>
      new EngineError(
        'permission-denied',
        `select permission on logical model "${model}" for role "${role}" does not exist`,
      ),
  }),
  queryOperations.create({
    name: 'track_native_query',
    documentation: 'Makes a statement of SQL a root field; its rows have the fields of a logical model.',
    arguments: object({ source: sourceArgument, ...nativeQuery.fields }) as never as Codec<
      Place & NativeQuery
    >,
    taken: ({ root_field_name }) =>
      new EngineError('already-tracked', `Native query "${root_field_name}" is already tracked.`),
  }),
  queryOperations.drop<Place & { readonly root_field_name: string }>({
    name: 'untrack_native_query',
    documentation: 'Takes a native query out of the API.',
    arguments: object({ source: sourceArgument, root_field_name: key('Name of the query.', name) }),
    missing: ({ root_field_name, source }) =>
      new EngineError('not-found', `Native query "${root_field_name}" not found in source "${source}".`),
  }),
  listing('get_native_query', 'The native queries of a source.', 'native_queries', nativeQueries),
];
