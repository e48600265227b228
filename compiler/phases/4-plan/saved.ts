/**
 * Saved operations: the queries of collections, checked as the administrator sees the API, the allow-list and the REST
 * endpoints.
 */

import { type DocumentNode, GraphQLError, Kind, print, valueFromASTUntyped } from 'graphql';
import { program } from '../../../runtime/core/contract/contract.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { type Losses, lossOf } from '../../../runtime/core/diagnostics/causes.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Result } from '../../../runtime/core/diagnostics/result.ts';
import { EngineError, UnknownName } from '../../../runtime/core/errors.ts';
import { parseGraphql } from '../../../runtime/core/graphql-text.ts';
import { operationKey } from '../../../runtime/core/names.ts';
import { linkProgram, type Program } from '../../../runtime/core/program/program.ts';
import type { GeneratedProgram } from '../../../runtime/core/program/resolvers.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { chooseOperation, type Operation } from '../../../runtime/core/request/document.ts';
import type {
  SavedOperation,
  SavedOptions,
  SavedProgram,
  SavedVariable,
} from '../../../runtime/core/saved/saved.ts';
import { ownerOfType } from '../../../runtime/core/schema/hidden.ts';
import type { RoleSchema } from '../../../runtime/core/schema/role-schema.ts';
import { namedType, type TypeReference } from '../../../runtime/core/schema/types.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type {
  CollectionQuery,
  Metadata,
  MetadataPath,
  QueryCollection,
} from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import type { ProgramPlan } from '../../model/plan.ts';
import { programOf } from './program.ts';
import { type KnownQuery, planRoutes } from './rest.ts';
import { permittedRoles, planAllowlist, refusedQueries, type SavedRuns } from './saved-allowlist.ts';
import { limitedQueries } from './saved-limits.ts';
import { errorText } from './saved-refusal.ts';
import { planForRole, planStatements, type RoleStatements, wakesForRole } from './saved-statements.ts';

/**
 * Plans saved operations; undefined if the metadata has neither collections nor endpoints.
 * @param plan called only if there are any
 */
export function planSavedOperations(
  metadata: Metadata,
  plan: () => ProgramPlan,
  options: SavedOptions,
  memory: Memory,
): Result<SavedProgram | undefined> & { readonly runs: () => SavedRuns } {
  if (metadata.query_collections.length === 0 && metadata.rest_endpoints.length === 0)
    return { value: undefined, diagnostics: [], runs: () => ({ permitted: [], allowed: [] }) };
  const planned = plan();
  const linked = linkedProgram(planned, options, memory);
  const roles = [ADMIN_ROLE, ...[...linked.roles].sort()];
  // A view is the same object as long as its role sees the same.
  const schemas = roles.map((role) => linked.roleSchema(role, false));
  const diagnostics: (Diagnostic & Losses)[] = [];
  const queries = new Map<string, KnownQuery>();
  const documents = new Map<CollectionQuery, DocumentNode>();
  // An operation that the administrator cannot run is not reported for other roles as well.
  const runnable = new Map<CollectionQuery, DocumentNode>();
  for (const collection of metadata.query_collections) {
    collection.definition.queries.forEach((query, index) => {
      const key = operationKey({ collection: collection.name, name: query.name });
      const { document, known, error } = memory.update(
        readQuery,
        query,
        collection.name,
        roles,
        schemas,
        options,
        memory,
      );
      if (document) documents.set(query, document);
      if (document && !error && operationCount(document) === 1) runnable.set(query, document);
      queries.set(key, known);
      if (!error) return;
      const path = [...collection.path, 'definition', 'queries', index];
      diagnostics.push({
        ...invalidQuery(metadata, collection, query, path, error),
        missed: missedBy(error, linked),
      });
    });
  }
  const isOperation = (collection: string, name: string) =>
    'operation' in (queries.get(operationKey({ collection, name })) ?? {});
  const routes = planRoutes(metadata, (collection, name) => queries.get(operationKey({ collection, name })));
  const allowlist = planAllowlist(metadata, documents, isOperation);
  return {
    value: {
      options,
      operations: [...queries.values()].flatMap((known) => ('operation' in known ? [known.operation] : [])),
      allowlist,
      routes: routes.value,
    },
    runs: () => ({
      permitted: permittedRoles(metadata.query_collections, runnable, linked, memory),
      allowed: allowlist.map(
        ({ collection, name, roles: named }) => [`${collection}.${name}`, named] as const,
      ),
    }),
    diagnostics: [
      ...diagnostics,
      ...routes.diagnostics,
      ...refusedQueries(metadata, runnable, linked, memory),
      ...limitedQueries(
        metadata.query_collections,
        runnable,
        planned.settings.limits,
        roles.slice(1),
        schemas[0]!,
        options,
      ),
    ],
  };
}

/** The program that the operations are planned with. */
export function linkedProgram(plan: ProgramPlan, options: SavedOptions, memory: Memory): Program {
  const { sources, tables, functions } = programOf(plan, memory);
  const { settings, remotes, actions } = plan;
  return memory.update(link, memory, sources, tables, functions, settings, remotes, actions, options);
}

/** It takes over the schemas of the one before it to which nothing changed. */
function link(
  last: Program | undefined,
  _: Memory,
  sources: GeneratedProgram['sources'],
  tables: GeneratedProgram['tables'],
  functions: GeneratedProgram['functions'],
  settings: ProgramPlan['settings'],
  remotes: ProgramPlan['remotes'],
  actions: ProgramPlan['actions'],
  options: SavedOptions,
): Program {
  const parts = { ...settings, ...(remotes && { remotes }), ...(actions && { actions }) };
  return linkProgram(
    program({ ...parts, sources, tables, functions }),
    { ...options, ruleHoles: true },
    last,
  );
}

interface ReadQuery {
  /** Absent if the text is not GraphQL. */
  readonly document?: DocumentNode;
  readonly known: KnownQuery;
  /** Why the administrator could not run it. */
  readonly error?: GraphQLError | EngineError;
}

/** @param schemas those of the roles; the first is the administrator's */
function readQuery(
  last: ReadQuery | undefined,
  query: CollectionQuery,
  collection: string,
  roles: readonly string[],
  schemas: readonly RoleSchema[],
  options: SavedOptions,
  memory: Memory,
): ReadQuery {
  let { document } = last ?? {};
  try {
    document ??= parseGraphql(query.query);
    const known = planQuery(document, collection, query, { roles, schemas, options, memory });
    // An operation that says the same is not printed again.
    return { document, known: reuse(known, last?.known) };
  } catch (error) {
    if (!(error instanceof GraphQLError) && !(error instanceof EngineError)) throw error;
    if (!document) return { known: { problem: 'none' }, error };
    return { document, known: reuse(uncheckedQuery(document, collection, query), last?.known), error };
  }
}

interface Planning {
  readonly roles: readonly string[];
  readonly schemas: readonly RoleSchema[];
  readonly options: SavedOptions;
  readonly memory: Memory;
}

/** @throws EngineError when the administrator could not run it */
function planQuery(
  document: DocumentNode,
  collection: string,
  query: CollectionQuery,
  { roles, schemas, options, memory }: Planning,
): KnownQuery {
  // The allow-list compares whole documents and can use it; it cannot be called by name.
  const count = operationCount(document);
  if (count !== 1) return { problem: count === 0 ? 'none' : 'several' };
  const operation = chooseOperation(document, undefined);
  const { used } = analyseOperation(schemas[0]!, operation);
  const statements = planStatements(roles, (role) => {
    const roleSchema = schemas[roles.indexOf(role)]!;
    return memory.of(roleSchema).call(statementsOf, query, document, roleSchema, options);
  });
  return { operation: { ...savedOperation(collection, query, operation, used), ...statements } };
}

function statementsOf(
  _: CollectionQuery,
  document: DocumentNode,
  roleSchema: RoleSchema,
  options: SavedOptions,
): RoleStatements {
  const operation = chooseOperation(document, undefined);
  const wakes = wakesForRole(roleSchema, operation, options);
  return { plans: planForRole(roleSchema, operation, options), ...(wakes && { wakes }) };
}

/** Like planQuery, for an operation that is known to be invalid: its endpoints stay and answer with the error. */
function uncheckedQuery(document: DocumentNode, collection: string, query: CollectionQuery): KnownQuery {
  const count = operationCount(document);
  if (count !== 1) return { problem: count === 0 ? 'none' : 'several' };
  const operation = chooseOperation(document, undefined);
  return { operation: savedOperation(collection, query, operation, new Map()) };
}

function operationCount(document: DocumentNode): number {
  return document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
}

function savedOperation(
  collection: string,
  query: CollectionQuery,
  operation: Operation,
  used: ReadonlyMap<string, TypeReference>,
): SavedOperation {
  const variables = [...operation.variables.values()].map(
    ({ name, type, defaultValue }): [string, SavedVariable] => {
      const place = used.get(name);
      return [
        name,
        {
          type: print(type),
          ...(defaultValue ? { default: valueFromASTUntyped(defaultValue) } : {}),
          ...(place && namedType(place).kind === 'input' ? { input: true } : {}),
        },
      ];
    },
  );
  return {
    collection,
    name: query.name,
    kind: operation.kind,
    document: query.query,
    ...(variables.length > 0 ? { variables: Object.fromEntries(variables) } : {}),
  };
}

/** Path of an error in the arguments of a field. */
const IN_ARGUMENTS = /^\$(?:\.selectionSet\.\w+)+\.args(?:\.|$)/;

/** Fields have to exist. Wrong arguments refuse the requests only, as in the other servers of this API family. */
function invalidQuery(
  metadata: Metadata,
  collection: QueryCollection,
  query: CollectionQuery,
  path: MetadataPath,
  error: GraphQLError | EngineError,
): Diagnostic {
  if (error instanceof EngineError && IN_ARGUMENTS.test(error.path)) {
    const names = { collection: collection.name, query: query.name };
    return at(path, messages.savedQueryRefused({ ...names, error: errorText(error) }));
  }
  const endpoints = metadata.rest_endpoints
    .filter(
      ({ definition }) =>
        definition.query.collection_name === collection.name && definition.query.query_name === query.name,
    )
    .map(({ name }) => `"${name}"`);
  const isAllowed = metadata.allowlist.some((entry) => entry.collection === collection.name);
  const problem = messages.savedQueryInvalid({
    collection: collection.name,
    query: query.name,
    error: `"${errorText(error)}"`,
    uses:
      (endpoints.length > 0
        ? `. This query is being used in the following REST endpoint(s): ${endpoints.join(', ')}`
        : '') + (isAllowed ? '. This query is in allowlist' : ''),
  });
  return at(path, problem, {
    type: 'query_collections',
    name: `query_collections ${query.name} in ${collection.name}`,
    reason: `Inconsistent object: ${problem.message}`,
    definition: { name: query.name, query: query.query },
  });
}

/** The field that the schema lacks, if that is what is wrong. */
function missedBy(error: GraphQLError | EngineError, program: Program): string | undefined {
  if (!(error instanceof UnknownName)) return undefined;
  const { typeName, unknownName } = error;
  const owner = typeName.endsWith('_root') ? undefined : ownerOfType(program, typeName);
  return owner
    ? lossOf.field(owner.table.source.name, owner.table.key, unknownName)
    : lossOf.rootField(unknownName);
}
