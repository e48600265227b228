/** What is saved, at work: the allow-list's check, the REST routes and the statements of one program. */
import { EngineError } from '../core/errors.ts';
import { sameOptions } from '../core/options.ts';
import { lazy } from '../core/remember.ts';
import { MissingSessionVariable } from '../core/request/bind.ts';
import { chooseOperation, parseDocument } from '../core/request/document.ts';
import type { RestRoute, SavedOperation, SavedProgram } from '../core/saved.ts';
import type { Session } from '../core/session.ts';
import { type Execution, executeData, executeRequest, runPlan } from '../graphql/execute.ts';
import { type Allowlist, createAllowlist } from './allowlist.ts';
import { type CallOptions, findCalled, type GraphqlCall } from './call.ts';
import { indexById, indexByText } from './index-by-id.ts';
import type { RegisteredQueries } from './registered.ts';
import { createRouter, type MatchRoute } from './router.ts';
import { createPlans, type FindPlan, savedValues } from './statements.ts';

export interface Saved {
  /** Absent when the allow-list is not enabled. */
  readonly allowlist?: Allowlist;
  readonly calls: CallOptions;
  readonly routes: readonly RestRoute[];
  readonly match: MatchRoute;
  readonly findPlan: FindPlan;
}

export interface SavedSettings {
  /** Whether roles may send only what the allow-list has. */
  readonly enforceAllowlist: boolean;
  /** Whether roles may send nothing but operations of collections. */
  readonly onlySaved: boolean;
  /** Those that clients register; absent: they cannot. */
  readonly registered?: RegisteredQueries;
}

/** Prepares what a program has saved, for the execution that will run it. */
export function prepareSaved(
  program: SavedProgram | undefined,
  { planner }: Execution,
  settings: SavedSettings,
): Saved {
  const { limits, sources, options } = planner.program;
  const made = program?.options;
  // Statements that were made for other options answer otherwise; limits of size are counted on documents.
  const usable =
    made &&
    sameOptions(made, { ...planner.options, ...options }) &&
    // They know values and nulls, and no variable that counts as not written.
    !planner.options.omitUnboundVariables &&
    !limits?.depth_limit &&
    !limits?.node_limit;
  const operations = program?.operations ?? [];
  const allowlist = settings.enforceAllowlist ? createAllowlist(program?.allowlist ?? []) : undefined;
  // Hashes are counted when somebody asks for one.
  const byId = lazy(() => indexById(operations));
  return {
    ...(allowlist ? { allowlist } : {}),
    calls: {
      findSaved: (id) => byId()(id),
      hasSaved: operations.length > 0,
      ...(settings.onlySaved
        ? { findByText: indexByText(operations) }
        : settings.registered && { registered: settings.registered }),
      checkAllowed: allowlist?.checkText,
    },
    routes: program?.routes ?? [],
    match: createRouter(program?.routes ?? []),
    findPlan: createPlans(usable ? operations : [], sources),
  };
}

/** What saved operations run on. */
export type SavedExecution = Execution & { readonly saved: Saved };

/**
 * Answers a GraphQL request with the text `{"data":…}`, whether it brings its operation or names it.
 * @throws EngineError for whatever is wrong with the request or goes wrong on the way
 */
export async function answerCall(
  call: GraphqlCall,
  session: Session,
  execution: SavedExecution,
): Promise<string> {
  const called = findCalled(call, session.role, execution.saved.calls);
  const { variables, operationName } = call;
  if ('operation' in called) {
    if (call.onlyQueries) requireQuery(called.operation.kind);
    return `{"data":${await runSaved(called.operation, variables ?? {}, session, execution)}}`;
  }
  const { query } = called;
  if (call.onlyQueries) requireQuery(chooseOperation(parseDocument(query), operationName).kind);
  return executeRequest({ query, operationName, variables }, session, execution);
}

/** GET must be safe to repeat, to prefetch and to follow as a link, so it runs nothing but queries. @throws EngineError */
function requireQuery(kind: SavedOperation['kind']): void {
  if (kind === 'query') return;
  throw new EngineError('not-supported', 'only queries can be run with GET; use POST', { status: 405 });
}

/**
 * Runs a saved operation: by its statements where it has them for the role and the values, else by planning it. Answers
 * with the text below `data`.
 * @throws EngineError as any request
 */
export async function runSaved(
  operation: SavedOperation,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
  { saved, ...execution }: SavedExecution,
): Promise<string> {
  saved.allowlist?.checkSaved(session.role, operation);
  if (operation.plans) {
    const values = savedValues(operation, variables);
    const plan = saved.findPlan(operation, session.role, values);
    if (plan) {
      try {
        return await runPlan(plan, values, session, execution);
      } catch (error) {
        throw error instanceof MissingSessionVariable
          ? withRule(error, operation, values, session, execution)
          : error;
      }
    }
  }
  return executeData({ query: operation.document, variables }, session, execution);
}

/** Statements that were written to files do not know whose rule asks for a session variable; the planner does. */
function withRule(
  error: MissingSessionVariable,
  { document }: SavedOperation,
  variables: Readonly<Record<string, unknown>>,
  session: Session,
  { planner }: Execution,
): MissingSessionVariable {
  const { plan } = planner.plan(session, { query: document, variables });
  const statements =
    plan.kind === 'query'
      ? plan.steps.map(({ statement }) => statement)
      : plan.fields.flatMap(({ step }) =>
          step.kind === 'write' ? step.statements.map(({ statement }) => statement) : [],
        );
  const parameter = statements
    .flatMap(({ parameters }) => parameters)
    .find(({ source }) => source.from === 'session' && source.name === error.variable);
  return new MissingSessionVariable(error.variable, parameter?.rule);
}
