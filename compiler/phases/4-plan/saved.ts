/**
 * Saved operations: the queries of collections, checked as the administrator sees the API, the allow-list and the REST
 * endpoints (reference metadata-api §6, services §8, server §10).
 */
import { type DocumentNode, GraphQLError, Kind, parse, print, valueFromASTUntyped } from 'graphql';
import { EngineError, UnknownName } from '../../../runtime/core/errors.ts';
import { linkProgram, type Program } from '../../../runtime/core/program.ts';
import { lazy } from '../../../runtime/core/remember.ts';
import { analyseOperation } from '../../../runtime/core/request/analyse.ts';
import { comparableDocument } from '../../../runtime/core/request/comparable.ts';
import { chooseOperation, type Operation } from '../../../runtime/core/request/document.ts';
import type {
  AllowedDocument,
  SavedOperation,
  SavedOptions,
  SavedVariable,
} from '../../../runtime/core/saved.ts';
import { ownerOfType } from '../../../runtime/core/schema/hidden.ts';
import { namedType, type TypeReference } from '../../../runtime/core/schema/types.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { diagnostics as messages } from '../../diagnostics/catalogue.ts';
import { type Losses, lossOf } from '../../diagnostics/causes.ts';
import { at, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Memory } from '../../incremental/memory.ts';
import type { CollectionQuery, Metadata, MetadataPath, QueryCollection } from '../../model/metadata.ts';
import type { Plan } from '../../model/plan.ts';
import type { Result } from '../../model/result.ts';
import type { PlannedSaved } from '../../model/saved.ts';
import { programOf } from './program.ts';
import { type KnownQuery, planRoutes } from './rest.ts';
import { refusingRule } from './saved-refusal.ts';
import { planStatements } from './saved-statements.ts';

/** Plans what is saved; undefined when the metadata has neither collections nor endpoints. */
export function planSaved(
  metadata: Metadata,
  plan: Pick<Plan, 'settings' | 'sources'>,
  options: SavedOptions,
  memory: Memory,
): Result<PlannedSaved | undefined> {
  if (metadata.query_collections.length === 0 && metadata.rest_endpoints.length === 0)
    return { value: undefined, diagnostics: [] };
  const program = lazy(() => linkProgram(programOf(plan), options));
  const inputs = [...Object.values(options), ...madeOf(plan)];
  const diagnostics: (Diagnostic & Losses)[] = [];
  const queries = new Map<string, KnownQuery>();
  const documents = new Map<string, DocumentNode>();
  // What the administrator cannot run is not told of every role besides.
  const runnable = new Map<string, DocumentNode>();
  for (const collection of metadata.query_collections) {
    collection.definition.queries.forEach((query, index) => {
      const key = keyOf(collection.name, query.name);
      const { document, known, error } = memory.remember('saved', query, [collection.name, ...inputs], () =>
        readQuery(collection, query, program, options),
      );
      if (document) documents.set(key, document);
      if (document && !error) runnable.set(key, document);
      queries.set(key, known);
      if (!error) return;
      const path = [...collection.path, 'definition', 'queries', index];
      diagnostics.push({
        ...invalidQuery(metadata, collection, query, path, error),
        missed: missedBy(error, program()),
      });
    });
  }
  const routes = planRoutes(metadata, (collection, name) => queries.get(keyOf(collection, name)));
  return {
    value: {
      options,
      operations: [...queries.values()].flatMap((known) => ('operation' in known ? [known.operation] : [])),
      allowlist: planAllowlist(metadata, documents),
      routes: routes.value,
    },
    diagnostics: [...diagnostics, ...routes.diagnostics, ...refusedQueries(metadata, runnable, program)],
  };
}

function keyOf(collection: string, name: string): string {
  return JSON.stringify([collection, name]);
}

/** What the plan of an operation is made of, whatever it asks for. */
function madeOf({ settings, sources }: Pick<Plan, 'settings' | 'sources'>): unknown[] {
  const parts: unknown[] = [JSON.stringify(settings)];
  for (const { shape, tables, functions } of sources) {
    // Tables hold the source; what functions are is small, and made anew by every compile.
    const others = functions.map(({ shape: { source: _, ...called }, ...rest }) => [called, rest]);
    parts.push(JSON.stringify([shape, others]), ...tables);
  }
  return parts;
}

interface ReadQuery {
  /** Absent when the text is no GraphQL. */
  readonly document?: DocumentNode;
  readonly known: KnownQuery;
  /** Why the administrator could not run it. */
  readonly error?: GraphQLError | EngineError;
}

function readQuery(
  collection: QueryCollection,
  query: CollectionQuery,
  program: () => Program,
  options: SavedOptions,
): ReadQuery {
  let document: DocumentNode | undefined;
  try {
    document = parse(query.query, { noLocation: true });
    return { document, known: planQuery(document, collection, query, program, options) };
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
  program: () => Program,
  options: SavedOptions,
): KnownQuery {
  // Usable through the allow-list, which compares whole documents, but not by itself.
  const count = operationCount(document);
  if (count !== 1) return { problem: count === 0 ? 'none' : 'several' };
  const operation = chooseOperation(document, undefined);
  const { used } = analyseOperation(program().view(ADMIN_ROLE, false), operation);
  const statements = planStatements(
    program(),
    [ADMIN_ROLE, ...[...program().roles].sort()],
    operation,
    options,
  );
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

function invalidQuery(
  metadata: Metadata,
  collection: QueryCollection,
  query: CollectionQuery,
  path: MetadataPath,
  error: GraphQLError | EngineError,
): Diagnostic {
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

/** The error as the list of inconsistent objects words it: fields only in the path, and types as objects. */
function errorText(error: GraphQLError | EngineError): string {
  if (error instanceof GraphQLError) return `$.query: ${error.message}`;
  const path = error.path.replaceAll('.selectionSet', '');
  return `${path}: ${error.message.replace(/ not found in type: '/, " not found in object '")}`;
}

/** Queries of the allow-list which the permissions of a role refuse that it names, or those of every role. */
function refusedQueries(
  metadata: Metadata,
  documents: ReadonlyMap<string, DocumentNode>,
  program: () => Program,
): (Diagnostic & Losses)[] {
  return metadata.allowlist.flatMap(({ collection: name, scope, path }) => {
    const collection = metadata.query_collections.find((entry) => entry.name === name);
    return (collection?.definition.queries ?? []).flatMap((query) => {
      const document = documents.get(keyOf(name, query.name));
      if (!document || operationCount(document) !== 1) return [];
      const operation = chooseOperation(document, undefined);
      const refusals = (roles: readonly string[]) =>
        roles.flatMap((role) => refusal(program(), role, operation, metadata) ?? []);
      if (!scope.global) {
        return refusals(scope.roles).map((refused) => ({
          ...at(path, messages.allowedQueryRefused({ ...refused, query: query.name, collection: name })),
          missed: refused.missed,
        }));
      }
      const roles = [...program().roles].sort();
      const [first, ...others] = refusals(roles);
      if (!first || others.length + 1 < roles.length) return [];
      return [at(path, messages.allowedQueryForNobody({ ...first, query: query.name, collection: name }))];
    });
  });
}

interface Refusal {
  readonly role: string;
  readonly error: string;
  /** The rule to blame, in a sentence with a space before it; empty where it is no single one. */
  readonly rule: string;
  readonly missed: string | undefined;
}

/** Why a role may not run an operation; undefined when it may, with the privileges of a backend if need be. */
function refusal(
  program: Program,
  role: string,
  operation: Operation,
  metadata: Metadata,
): Refusal | undefined {
  try {
    analyseOperation(program.view(role, true), operation);
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const isInherited = metadata.inherited_roles.some((each) => each.role_name === role);
    const rule = refusingRule(program, role, isInherited, error);
    return {
      role,
      error: errorText(error),
      rule: rule ? ` ${rule.text}` : '',
      missed: rule?.rule,
    };
  }
}

function planAllowlist(metadata: Metadata, documents: ReadonlyMap<string, DocumentNode>): AllowedDocument[] {
  return metadata.allowlist.flatMap(({ collection: name, scope }) => {
    const collection = metadata.query_collections.find((entry) => entry.name === name);
    return (collection?.definition.queries ?? []).flatMap((query): AllowedDocument[] => {
      const document = documents.get(keyOf(name, query.name));
      if (!document) return [];
      return [
        {
          collection: name,
          name: query.name,
          ...(scope.global ? {} : { roles: scope.roles }),
          document: comparableDocument(document),
        },
      ];
    });
  });
}
