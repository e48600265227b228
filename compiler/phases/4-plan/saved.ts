/**
 * Saved operations: the queries of collections, checked as the administrator sees the API, the allow-list and the REST
 * endpoints.
 */
import { type DocumentNode, GraphQLError, Kind, parse, print, valueFromASTUntyped } from 'graphql';
import { EngineError, UnknownName } from '../../../runtime/core/errors.ts';
import { linkProgram, type Program } from '../../../runtime/core/program.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { chooseOperation, type Operation } from '../../../runtime/core/request/document.ts';
import type { SavedOperation, SavedOptions, SavedVariable } from '../../../runtime/core/saved.ts';
import { ownerOfType } from '../../../runtime/core/schema/hidden.ts';
import { namedType, type TypeReference } from '../../../runtime/core/schema/types.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import { type Losses, lossOf } from '../../../runtime/diagnostics/causes.ts';
import { at, type Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import type { Result } from '../../../runtime/diagnostics/result.ts';
import type {
  CollectionQuery,
  Metadata,
  MetadataPath,
  QueryCollection,
} from '../../../runtime/metadata/metadata.ts';
import type { Memory } from '../../memory/memory.ts';
import { reuse } from '../../memory/reuse.ts';
import type { Plan, ProgramPlan } from '../../model/plan.ts';
import type { PlannedSaved } from '../../model/saved.ts';
import { type ByView, createByView } from './by-view.ts';
import { programOf } from './program.ts';
import { type KnownQuery, planRoutes } from './rest.ts';
import { planAllowlist, refusedQueries } from './saved-allowlist.ts';
import { limitedQueries } from './saved-limits.ts';
import { errorText } from './saved-refusal.ts';
import { planForRole, planStatements, type RoleStatements } from './saved-statements.ts';

/**
 * Plans saved operations; undefined if the metadata has neither collections nor endpoints.
 * @param plan called only if there are any
 */
export function planSaved(
  metadata: Metadata,
  plan: () => ProgramPlan,
  options: SavedOptions,
  memory: Memory,
): Result<PlannedSaved | undefined> {
  if (metadata.query_collections.length === 0 && metadata.rest_endpoints.length === 0)
    return { value: undefined, diagnostics: [] };
  const planned = plan();
  const program = linkedProgram(planned, options, memory);
  const roles = [ADMIN_ROLE, ...[...program.roles].sort()];
  // A view is the same object as long as its role sees the same: with it goes what was planned for the role.
  const inputs = [JSON.stringify(options), ...roles, ...roles.map((role) => program.view(role, false))];
  const byView = createByView(options, memory);
  const diagnostics: (Diagnostic & Losses)[] = [];
  const queries = new Map<string, KnownQuery>();
  const documents = new Map<CollectionQuery, DocumentNode>();
  // An operation that the administrator cannot run is not reported for other roles as well.
  const runnable = new Map<CollectionQuery, DocumentNode>();
  for (const collection of metadata.query_collections) {
    collection.definition.queries.forEach((query, index) => {
      const key = keyOf(collection.name, query.name);
      const { document, known, error } = memory.remember<ReadQuery>(
        'saved',
        query,
        [collection.name, ...inputs],
        (before) => {
          const next = readQuery(collection, query, { program, roles, options, byView }, before?.document);
          // An operation that says the same is not printed again.
          return { ...next, known: reuse(next.known, before?.known) };
        },
      );
      if (document) documents.set(query, document);
      if (document && !error && operationCount(document) === 1) runnable.set(query, document);
      queries.set(key, known);
      if (!error) return;
      const path = [...collection.path, 'definition', 'queries', index];
      diagnostics.push({
        ...invalidQuery(metadata, collection, query, path, error),
        missed: missedBy(error, program),
      });
    });
  }
  const isOperation = (collection: string, name: string) =>
    'operation' in (queries.get(keyOf(collection, name)) ?? {});
  const routes = planRoutes(metadata, (collection, name) => queries.get(keyOf(collection, name)));
  return {
    value: {
      options,
      operations: [...queries.values()].flatMap((known) => ('operation' in known ? [known.operation] : [])),
      allowlist: planAllowlist(metadata, documents, isOperation),
      routes: routes.value,
    },
    diagnostics: [
      ...diagnostics,
      ...routes.diagnostics,
      ...refusedQueries(metadata, runnable, program, byView),
      ...limitedQueries(metadata.query_collections, runnable, planned.settings.limits, roles.slice(1)),
    ],
  };
}

function keyOf(collection: string, name: string): string {
  return JSON.stringify([collection, name]);
}

/** The program that the operations are planned with. It takes over the views of the one before it to which nothing changed. */
function linkedProgram(
  plan: Pick<Plan, 'settings' | 'sources' | 'actions'>,
  options: SavedOptions,
  memory: Memory,
): Program {
  const generated = programOf(plan, memory);
  const { sources, tables, functions } = generated;
  const settings = JSON.stringify([plan.settings, options]);
  const inputs = [
    settings,
    'sources',
    ...sources,
    'tables',
    ...tables,
    'functions',
    ...functions,
    plan.actions,
  ];
  return memory.remember<Program>('program', memory.program, inputs, (before) =>
    linkProgram(generated, { ...options, markRules: true }, before),
  );
}

interface Planning {
  readonly program: Program;
  readonly roles: readonly string[];
  readonly options: SavedOptions;
  readonly byView: ByView;
}

interface ReadQuery {
  /** Absent if the text is not GraphQL. */
  readonly document?: DocumentNode;
  readonly known: KnownQuery;
  /** Why the administrator could not run it. */
  readonly error?: GraphQLError | EngineError;
}

function readQuery(
  collection: QueryCollection,
  query: CollectionQuery,
  planning: Planning,
  parsed: DocumentNode | undefined,
): ReadQuery {
  let document = parsed;
  try {
    document ??= parse(query.query, { noLocation: true });
    return { document, known: planQuery(document, collection, query, planning) };
  } catch (error) {
    if (!(error instanceof GraphQLError) && !(error instanceof EngineError)) throw error;
    if (!document) return { known: { problem: 'none' }, error };
    return { document, known: uncheckedQuery(document, collection, query), error };
  }
}

/** @throws EngineError when the administrator could not run it */
function planQuery(
  document: DocumentNode,
  collection: QueryCollection,
  query: CollectionQuery,
  { program, roles, options, byView }: Planning,
): KnownQuery {
  // The allow-list compares whole documents and can use it; it cannot be called by name.
  const count = operationCount(document);
  if (count !== 1) return { problem: count === 0 ? 'none' : 'several' };
  const operation = chooseOperation(document, undefined);
  const { used } = analyseOperation(program.view(ADMIN_ROLE, false), operation);
  const statements = planStatements(roles, operation, (role) => {
    const view = program.view(role, false);
    return byView<RoleStatements>('statements', view, query, () => ({
      plans: planForRole(view, operation, options),
    }));
  });
  return { operation: { ...savedOperation(collection, query, operation, used), ...statements } };
}

/** As planQuery, for one that is known to be invalid: its endpoints stay and answer with what is wrong. */
function uncheckedQuery(
  document: DocumentNode,
  collection: QueryCollection,
  query: CollectionQuery,
): KnownQuery {
  const count = operationCount(document);
  if (count !== 1) return { problem: count === 0 ? 'none' : 'several' };
  const operation = chooseOperation(document, undefined);
  return { operation: savedOperation(collection, query, operation, new Map()) };
}

function operationCount(document: DocumentNode): number {
  return document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
}

function savedOperation(
  collection: QueryCollection,
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
    collection: collection.name,
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
