/**
 * Resolves the remote relationships of tables and of types of remote schemas. The fields of the join must exist, and so must
 * the remote schema with its fields, or the table of another source.
 */
import { Kind } from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { displayName, quotedName } from '../../../runtime/core/names.ts';
import { baseName } from '../../../runtime/core/remotes/document.ts';
import { remoteNames } from '../../../runtime/core/remotes/names.ts';
import type { RemoteRelationshipShape } from '../../../runtime/core/remotes/shapes.ts';
import { columnType } from '../../../runtime/core/types.ts';
import { remoteRelationship } from '../../../runtime/metadata/kinds/remote-relationship.ts';
import type {
  JsonObject,
  RemoteRelationship,
  RemoteSchemaTypeRelationships,
} from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuser } from '../../memory/reuse.ts';
import { contestedFieldNames, requireFreeFieldName } from './field.ts';
import { ofColumn, ofScalar } from './join-types.ts';
import { type JoinContext, type LeftEntity, requireName, resolveJoin } from './remote-join.ts';
import type { ResolvedRemote } from './remote-schema.ts';
import { attempt, Failure, type ReportedObject } from './report.ts';
import type { SourceScope, TableScope } from './scope.ts';
import type { SourceStructure } from './structure.ts';

type Relationships = Readonly<Record<string, RemoteRelationshipShape>>;

/** Adds remote relationships to the tables of a source. Tables without any stay the identical objects. */
export function joinTables(
  source: SourceStructure,
  context: JoinContext,
  diagnostics: Diagnostic[],
  memory: Memory,
): SourceStructure {
  const scope = context.scopes.get(source.scope.source.name)!;
  const added = new Map<string, Relationships>();
  for (const table of scope.tables.values()) {
    const relationships = tableJoins(scope, table, context, diagnostics);
    if (Object.keys(relationships).length > 0) added.set(table.key, relationships);
  }
  if (added.size === 0) return source;
  const tables = source.tables.map((table) => {
    const remoteRelationships = added.get(table.key);
    if (!remoteRelationships) return table;
    return memory.update(reuseJoined, table, { ...table, shape: { ...table.shape, remoteRelationships } });
  });
  return { ...source, tables };
}

const reuseJoined = reuser<SourceStructure['tables'][number]>();

function tableJoins(
  scope: SourceScope,
  table: TableScope,
  context: JoinContext,
  diagnostics: Diagnostic[],
): Relationships {
  const { remote_relationships: relationships } = table.entry;
  if (relationships.length === 0) return {};
  const contested = contestedFieldNames(scope, table);
  const left = {
    name: displayName(table.entry.table.schema, table.entry.table.name),
    fields: [...table.columns.keys(), ...scalarFields(table)],
    types: columnTypes(scope, table),
  };
  return Object.fromEntries(
    relationships.flatMap((relationship) => {
      const { name, path } = relationship;
      if (contested.has(name)) return [];
      const join = attempt({ diagnostics }, remoteRelationshipObject(scope, table, relationship), () => {
        requireName(name);
        requireFreeFieldName(scope, table, name);
        return resolveJoin(context, left, relationship);
      });
      if (!join) return [];
      diagnostics.push(...join.warnings.map((warning) => at(path, warning)));
      return [[name, join.shape] as const];
    }),
  );
}

function columnTypes({ shape }: SourceScope, { columns }: TableScope): LeftEntity['types'] {
  return new Map([...columns].map(([name, { type }]) => [name, ofColumn(columnType(shape, type))]));
}

/** Computed fields that are scalars without arguments. */
function scalarFields({ computedFields }: TableScope): string[] {
  return [...computedFields].flatMap(
    ([name, { returns, arguments: args, tableArgument, sessionArgument }]) => {
      const given = args.filter((_, index) => index !== tableArgument && index !== sessionArgument);
      return 'type' in returns && given.length === 0 ? [name] : [];
    },
  );
}

/** Relationships of the types of a remote schema, by the remote's names. */
export function typeRelationships(
  remote: ResolvedRemote,
  context: JoinContext,
  diagnostics: Diagnostic[],
): Readonly<Record<string, Relationships>> {
  return Object.fromEntries(
    remote.entry.remote_relationships.flatMap((entry) => {
      const found = entry.relationships.flatMap((relationship) => {
        const { name, path } = relationship;
        const join = attempt({ diagnostics }, typeRelationshipObject(remote, entry, relationship), () => {
          requireName(name);
          return resolveJoin(context, leftType(remote, entry.type_name, name), relationship);
        });
        if (!join) return [];
        diagnostics.push(...join.warnings.map((warning) => at(path, warning)));
        return [[name, join.shape] as const];
      });
      return found.length > 0 ? [[entry.type_name, Object.fromEntries(found)] as const] : [];
    }),
  );
}

/** @throws Failure */
function leftType(
  { entry, document, shape }: ResolvedRemote,
  type: string,
  relationship: string,
): LeftEntity {
  const definition = document.types.get(type);
  if (!definition) throw new Failure(messages.remoteTypeMissing({ type, name: entry.name }));
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) throw new Failure(messages.remoteTypeNotObject());
  const fields = definition.fields ?? [];
  const names = remoteNames(shape.customization, new Set(Object.values(document.roots)));
  if (fields.some(({ name }) => [name.value, names.field(type, name.value)].includes(relationship))) {
    const reason = `field with name "${relationship}" already exists in type "${type}"`;
    throw new Failure(messages.remoteRelationshipInvalid({ reason }));
  }
  const usable = fields.filter((field) => {
    const named = field.type.kind === Kind.NON_NULL_TYPE ? field.type.type : field.type;
    if (named.kind !== Kind.NAMED_TYPE || (field.arguments ?? []).length > 0) return false;
    const target = document.types.get(named.name.value)?.kind;
    return (
      target === undefined || target === Kind.SCALAR_TYPE_DEFINITION || target === Kind.ENUM_TYPE_DEFINITION
    );
  });
  return {
    name: type,
    fields: usable.map(({ name }) => name.value),
    types: new Map(usable.map((field) => [field.name.value, ofScalar(baseName(field.type))])),
  };
}

function typeRelationshipObject(
  { entry: { name } }: ResolvedRemote,
  { type_name }: RemoteSchemaTypeRelationships,
  relationship: RemoteRelationship,
): ReportedObject {
  return {
    path: relationship.path,
    type: 'remote_schema_remote_relationship',
    name: `remote_schema_remote_relationship remote_relationship ${relationship.name} on type ${type_name} in remote schema ${name}`,
    definition: { remote_schema: name, type_name, ...(remoteRelationship.write(relationship) as JsonObject) },
    context: `in remote schema "${name}": in remote relationship "${relationship.name}": `,
  };
}

/** The remote relationship as inconsistencies list it. */
export function remoteRelationshipObject(
  scope: SourceScope,
  table: TableScope,
  relationship: RemoteRelationship,
): ReportedObject {
  const { schema, name } = table.entry.table;
  return {
    path: relationship.path,
    type: 'remote_relationship',
    name: `remote_relationship ${relationship.name} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: {
      source: scope.source.name,
      table: { schema, name },
      ...remoteRelationship.write(relationship),
    },
    context: `in table ${quotedName(table.entry.table)}: in remote relationship "${relationship.name}": `,
  };
}
