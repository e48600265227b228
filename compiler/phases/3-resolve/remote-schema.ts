/** Resolves remote schemas: checks the schemas that were read, their names, and the part that each role sees. */

import { GraphQLError, Kind, print as printAst } from 'graphql';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { isGraphqlName } from '../../../runtime/core/names.ts';
import { graphqlProblem } from '../../../runtime/core/reasons.ts';
import {
  type RemoteDocument,
  readRemoteDocument,
  type TypeDefinition,
} from '../../../runtime/core/remotes/document.ts';
import { remoteNames } from '../../../runtime/core/remotes/names.ts';
import type {
  RemoteCustomization,
  RemoteOrError,
  RemoteSchemaShape,
  Renaming,
} from '../../../runtime/core/remotes/shapes.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { remoteSchema } from '../../../runtime/metadata/kinds/remote-schema.ts';
import type {
  InheritedRole,
  JsonObject,
  Metadata,
  RemoteSchema,
  RemoteSchemaCustomization,
} from '../../../runtime/metadata/metadata.ts';
import { remoteTarget } from '../../../runtime/metadata/remote-target.ts';
import type { Memory } from '../../memory/memory.ts';
import { customizationProblems, nameClashes } from './remote-customization.ts';
import { documentMeaning, typeMeaning } from './remote-meaning.ts';
import { permissionProblems } from './remote-permission.ts';
import { skippedPresets } from './remote-preset-skipped.ts';
import { type ServedRemote, servedProblems } from './remote-served.ts';
import { upstreamProblems } from './remote-upstream.ts';
import { attempt, because, Failure, leaveOut, type ReportedObject } from './report.ts';
import type { TakenNames } from './taken-names.ts';

/** A remote schema with its document. */
export interface ResolvedRemote {
  readonly entry: RemoteSchema;
  readonly document: RemoteDocument;
  readonly shape: RemoteSchemaShape;
}

/** Resolves remote schemas in the order of the metadata, and claims their names. If two clash, the later one is left out. */
export function resolveRemoteSchemas(
  metadata: Metadata,
  remotes: Readonly<Record<string, RemoteOrError>>,
  inheritedRoles: readonly InheritedRole[],
  taken: TakenNames,
  vocabulary: Vocabulary,
  report: { readonly diagnostics: Diagnostic[] },
  memory: Memory,
): ResolvedRemote[] {
  const types = new Map<string, ClaimedType>();
  const remoteSchemas = metadata.remote_schemas.flatMap((entry): ResolvedRemote[] => {
    const resolved = attempt(report, remoteSchemaObject(entry), () => {
      const result = Object.hasOwn(remotes, entry.name)
        ? remotes[entry.name]!
        : { error: 'the remote schema was not read' };
      if ('error' in result) throw new Failure(messages.remoteSchemaUnreachable({ reason: result.error }));
      const document = memory.call(readDocument, entry.definition, result.sdl);
      if (typeof document === 'string') throw new Failure(messages.remoteSchemaInvalid({ reason: document }));
      const [problem] = memory.call(upstreamProblems, document);
      if (problem) throw new Failure(messages.remoteSchemaInvalid({ reason: problem }));
      const customization = customizationOf(entry.definition.customization);
      const [wrong] = [
        ...customizationProblems(entry.definition.customization, document),
        ...nameClashes(customization, document),
      ];
      if (wrong) throw new Failure(messages.remoteSchemaInvalid({ reason: wrong }));
      const invalid = memory.call(invalidWhole, document, entry.definition.customization, vocabulary);
      if (invalid !== undefined) throw new Failure(messages.remoteSchemaInvalid({ reason: invalid }));
      claimRoots(entry, document, customization, taken.roots);
      claimTypes(entry, document, customization, {
        tables: taken.types,
        shared: taken.shared,
        objectMeaning: taken.objectMeaning,
        remotes: types,
      });
      if (result.stale !== undefined) {
        leaveOut(
          report,
          remoteSchemaObject(entry),
          messages.remoteSchemaStale({ name: entry.name, reason: result.stale }),
        );
      }
      return { document, sdl: result.sdl, customization };
    });
    if (!resolved) return [];
    const { document, sdl, customization } = resolved;
    const roles = resolvePermissions(entry, document, inheritedRoles, vocabulary, report, memory);
    return [{ entry, document, shape: shapeOf(entry, sdl, customization, roles) }];
  });
  for (const [type, { owner }] of types) taken.types.set(type, owner);
  return remoteSchemas;
}

function readDocument(_: RemoteSchema['definition'], sdl: string): RemoteDocument | string {
  try {
    const document = readRemoteDocument(sdl);
    return document.roots.query === undefined ? 'the remote schema has no query type' : document;
  } catch (error) {
    if (error instanceof GraphQLError) return `the schema is not GraphQL: ${graphqlProblem(error)}`;
    throw error;
  }
}

/** Root fields are unique over tables, functions, actions and remote schemas. @throws Failure */
function claimRoots(
  { name }: RemoteSchema,
  document: RemoteDocument,
  customization: RemoteCustomization | undefined,
  taken: TakenNames['roots'],
): void {
  const { namespace, field } = remoteNames(customization, new Set(Object.values(document.roots)));
  const wanted = Object.entries(document.roots).flatMap(([root, type]) => {
    if (namespace !== undefined) return [`${root} ${namespace}`];
    const definition = document.types.get(type);
    return definition?.kind === Kind.OBJECT_TYPE_DEFINITION
      ? (definition.fields ?? []).map((each) => `${root} ${field(type, each.name.value)}`)
      : [];
  });
  const clash = wanted.find((place) => taken.has(place));
  if (clash) {
    const [root, clashing] = clash.split(' ') as [string, string];
    const owner = taken.get(clash)!;
    const clashes = [
      { root: `${root}_root`, field: clashing, first: owner, second: `remote schema "${name}"` },
    ];
    throw new Failure({ ...messages.remoteFieldConflict({ field: clashing, owner }), clashes });
  }
  for (const place of wanted) taken.set(place, `remote schema "${name}"`);
}

interface ClaimedType {
  readonly meaning: string;
  readonly owner: string;
}

/** Types of equal names must mean the same; they are one type. Of a table only its object type can. @throws Failure */
function claimTypes(
  { name }: RemoteSchema,
  document: RemoteDocument,
  customization: RemoteCustomization | undefined,
  taken: {
    readonly tables: TakenNames['types'];
    readonly shared: TakenNames['shared'];
    readonly objectMeaning: TakenNames['objectMeaning'];
    readonly remotes: Map<string, ClaimedType>;
  },
): void {
  const roots = new Set(Object.values(document.roots));
  const names = remoteNames(customization, roots);
  const own = [...document.types].flatMap(([type, definition]) =>
    // Fields of root types are root fields; the type itself is visible only if it has a name of its own.
    roots.has(type) && customization?.namespace === undefined
      ? []
      : [{ type: names.type(type), definition, meaning: typeMeaning(definition, document, names) }],
  );
  const { tables, shared, remotes } = taken;
  for (const { type, definition, meaning } of own) {
    if (!isGraphqlName(type)) throw new Failure(messages.nameNotGraphql({ name: type }));
    const other = shared.get(type);
    if (other && other.form !== formOfDefinition(definition, names.type))
      throw new Failure(messages.remoteTypeConflict({ type, owner: other.owner }));
    const known = remotes.get(type);
    const differs = known && known.meaning !== meaning;
    const isAlike = taken.objectMeaning(type) === meaning;
    const owner = (isAlike ? undefined : tables.get(type)) ?? (differs ? known.owner : undefined);
    if (owner !== undefined) throw new Failure(messages.remoteTypeConflict({ type, owner }));
  }
  const owner = `remote schema "${name}"`;
  for (const { type, meaning } of own) if (!remotes.has(type)) remotes.set(type, { meaning, owner });
}

/** As `clientFormOf` writes types of databases; undefined where those have none of the kind. */
function formOfDefinition(definition: TypeDefinition, rename: (name: string) => string): string | undefined {
  switch (definition.kind) {
    case Kind.SCALAR_TYPE_DEFINITION:
      return 'scalar';
    case Kind.ENUM_TYPE_DEFINITION:
      return `enum ${(definition.values ?? [])
        .map(({ name }) => name.value)
        .sort()
        .join()}`;
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return `input ${(definition.fields ?? [])
        .map(({ name, type }) => `${name.value}: ${printAst(type).replace(/[_A-Za-z][_0-9A-Za-z]*/, rename)}`)
        .sort()
        .join()}`;
    default:
      return undefined;
  }
}

function resolvePermissions(
  entry: RemoteSchema,
  document: RemoteDocument,
  inheritedRoles: readonly InheritedRole[],
  vocabulary: Vocabulary,
  report: { readonly diagnostics: Diagnostic[] },
  memory: Memory,
): Record<string, string> {
  const roles = new Map<string, string>();
  for (const permission of entry.permissions) {
    const { role, definition } = permission;
    const problems = memory.call(
      problemsOf,
      permission,
      document,
      entry.definition.customization,
      vocabulary,
    );
    if (problems.length === 0) {
      roles.set(role, definition.schema);
      for (const { place, presets } of memory.call(skippedOf, permission)) {
        const facts = { name: entry.name, role, place, presets: presets.join(', ') };
        report.diagnostics.push(at(permission.path, messages.remotePresetSkipped(facts)));
      }
      continue;
    }
    const reason = `validation for the given role-based schema failed ${problems.length === 1 ? because(problems) : `for the following reasons:\n${problems.map((each) => ` • ${each}\n`).join('')}`}`;
    const object: ReportedObject = {
      path: permission.path,
      type: 'remote_schema_permission',
      name: `remote_schema_permission ${role} permission in remote schema ${entry.name}`,
      definition: { remote_schema: entry.name, role, definition: { schema: definition.schema } },
      context: '',
    };
    leaveOut(report, object, messages.remotePermissionInvalid({ role, reason }));
  }
  for (const { role_name: role, role_set } of inheritedRoles) {
    if (roles.has(role)) continue;
    const [first, ...others] = [...new Set(role_set.flatMap((parent) => roles.get(parent) ?? []))];
    if (others.every((other) => meaning(other, vocabulary) === meaning(first!, vocabulary))) {
      if (first !== undefined) roles.set(role, first);
      continue;
    }
    const message = messages.remotePermissionNotInherited({ role, name: entry.name });
    report.diagnostics.push(
      at(entry.path, message, {
        type: 'inherited role permission inconsistency',
        name: role,
        reason: message.message,
        entity: { remote_schema: entry.name },
      }),
    );
  }
  return Object.fromEntries([...roles].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function meaning(sdl: string, vocabulary: Vocabulary): string {
  return documentMeaning(readRemoteDocument(sdl), vocabulary);
}

function problemsOf(
  { role, definition: { schema } }: RemoteSchema['permissions'][number],
  document: RemoteDocument,
  customization: RemoteSchemaCustomization | undefined,
  vocabulary: Vocabulary,
): string[] {
  const problems = permissionProblems(schema, document, vocabulary);
  if (problems.length > 0) return problems;
  return servedProblems(servedPart(schema, customization, { [role]: schema }), role, vocabulary);
}

/** The first thing that makes the whole schema invalid. */
function invalidWhole(
  { document }: RemoteDocument,
  customization: RemoteSchemaCustomization | undefined,
  vocabulary: Vocabulary,
): string | undefined {
  return servedProblems(servedPart(printAst(document), customization, {}), ADMIN_ROLE, vocabulary)[0];
}

function servedPart(
  schema: string,
  given: RemoteSchemaCustomization | undefined,
  roles: ServedRemote['roles'],
): ServedRemote {
  const customization = customizationOf(given);
  return { schema, roles, ...(customization && { customization }) };
}

function skippedOf({ definition }: RemoteSchema['permissions'][number]) {
  return skippedPresets(definition.schema);
}

function shapeOf(
  { name, definition }: RemoteSchema,
  schema: string,
  customization: RemoteCustomization | undefined,
  roles: Readonly<Record<string, string>>,
): RemoteSchemaShape {
  return { ...remoteTarget(definition), name, ...(customization && { customization }), schema, roles };
}

function customizationOf(given: RemoteSchemaCustomization | undefined): RemoteCustomization | undefined {
  if (!given) return undefined;
  const { root_fields_namespace: namespace, type_names, field_names } = given;
  const types = type_names && renamingOf(type_names);
  const fields = field_names.flatMap(({ parent_type, ...names }) => {
    const renaming = renamingOf(names);
    return renaming ? [[parent_type, renaming] as const] : [];
  });
  if (namespace === undefined && !types && fields.length === 0) return undefined;
  return {
    ...(namespace !== undefined && { namespace }),
    ...(types && { types }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  };
}

function renamingOf({
  prefix,
  suffix,
  mapping,
}: {
  readonly prefix?: string;
  readonly suffix?: string;
  readonly mapping: Readonly<Record<string, string>>;
}): Renaming | undefined {
  const hasNames = Object.keys(mapping).length > 0;
  if (prefix === undefined && suffix === undefined && !hasNames) return undefined;
  return {
    ...(prefix !== undefined && { prefix }),
    ...(suffix !== undefined && { suffix }),
    ...(hasNames && { names: mapping }),
  };
}

/** The remote schema as inconsistencies list it. */
function remoteSchemaObject(entry: RemoteSchema): ReportedObject {
  return {
    path: entry.path,
    type: 'remote_schema',
    name: `remote_schema ${entry.name}`,
    definition: remoteSchema.write(entry) as JsonObject,
    context: '',
  };
}
