/** Runs declared cases as requests, and says what came instead of what was expected. */

import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '../../../runtime/core/errors.ts';
import { parseExactJson } from '../../../runtime/core/json/exact-json.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import type { Session } from '../../../runtime/core/session.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { executeData } from '../../../runtime/graphql/execute.ts';
import type { DeclaredCase, RequestCase, SchemaCase } from './cases.ts';
import { agrees } from './request.ts';
import { short, stubHandlers } from './stub-handlers.ts';
import type { Trial, TrialDatabase } from './trial.ts';

export type TrialsBySource = ReadonlyMap<string, TrialDatabase>;

/** What came instead of what was expected. */
export interface Problem {
  /** A sentence. */
  readonly text: string;
  /** What the case gives or asks was refused, so that no answer could be compared. */
  readonly isRefusal?: true;
}

/** undefined when it is as expected. */
export function runDeclared(
  each: DeclaredCase,
  planner: Planner,
  databases: TrialsBySource,
): Promise<Problem | undefined> {
  return 'types' in each ? compareTypes(each, planner) : runRequest(each, planner, databases);
}

const MEMBERS = '{ fields { name } inputFields { name } enumValues { name } }';

type Members = Readonly<Record<string, readonly { readonly name: string }[] | null>>;

function memberNames(type: Members): string[] {
  return Object.values(type).flatMap((members) => (members ?? []).map((member) => member.name));
}

/** The fields of every type that a role is offered, by name. */
export async function offeredTypes(
  caller: Pick<SchemaCase, 'role' | 'trusted'>,
  planner: Planner,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const query = `{ __schema { types { name ${MEMBERS.slice(2)} } }`;
  const text = await executeData({ query }, sessionOf(caller, planner.program), {
    planner,
    sources: new Map(),
  });
  const { __schema } = JSON.parse(text) as { __schema: { types: (Members & { name: never })[] } };
  return new Map(__schema.types.map(({ name, ...members }) => [name as string, memberNames(members)]));
}

async function compareTypes(each: SchemaCase, planner: Planner): Promise<Problem | undefined> {
  const names = Object.keys(each.types);
  const query = `{ ${names.map((name, index) => `t${index}: __type(name: "${name}") ${MEMBERS}`).join(' ')} }`;
  const text = await executeData({ query }, sessionOf(each, planner.program), {
    planner,
    sources: new Map(),
  });
  const answer = JSON.parse(text) as Record<string, Members | null>;
  const problems = names.flatMap((name, index) => {
    const type = answer[`t${index}`];
    const found = type ? memberNames(type) : null;
    const wanted = each.types[name]!;
    if (found === null || wanted === null)
      return found === wanted
        ? []
        : [found === null ? `the type ${name} is not offered` : `the type ${name} is offered`];
    const beyond = (one: readonly string[], other: readonly string[]) =>
      one.filter((item) => !other.includes(item));
    const [more, fewer] = [beyond(found, wanted), beyond(wanted, found)];
    return [
      ...(more.length > 0 ? [`the type ${name} has ${more.join(', ')} as well`] : []),
      ...(fewer.length > 0 ? [`the type ${name} lacks ${fewer.join(', ')}`] : []),
    ];
  });
  return problems.length > 0 ? { text: problems.join('; ') } : undefined;
}

/** What a request came to: its answer, why it was refused, or why it could not be sent. */
export type RequestOutcome =
  | { readonly data: Record<string, unknown> }
  | { readonly error: EngineError }
  | { readonly problem: Problem };

async function runRequest(
  each: RequestCase,
  planner: Planner,
  databases: TrialsBySource,
): Promise<Problem | undefined> {
  const outcome = await answerOf(each, planner, databases);
  if ('problem' in outcome) return outcome.problem;
  if ('error' in outcome) return compareError(each, outcome.error);
  const problem = compareAnswer(each, outcome.data);
  return problem === undefined ? undefined : { text: problem };
}

/** Runs the request of a case; what it writes is undone. */
export function answerOf(
  each: Omit<RequestCase, 'expect'>,
  planner: Planner,
  databases: TrialsBySource,
): Promise<RequestOutcome> {
  return inTrials([...databases], new Map(), async (trials): Promise<RequestOutcome> => {
    const stopped = (text: string, isRefusal = false): RequestOutcome => ({
      problem: { text, ...(isRefusal && { isRefusal }) },
    });
    if (each.given !== undefined) {
      const trial =
        each.source === undefined && trials.size === 1
          ? [...trials.values()][0]
          : trials.get(each.source ?? 'default');
      if (!trial) return stopped(`there is no source "${each.source ?? 'default'}" for what is given`);
      try {
        await trial.run(each.given);
      } catch (error) {
        return stopped(`what is given was refused: ${(error as Error).message}`, true);
      }
    }
    const sources = new Map([...trials].map(([name, { connection }]) => [name, connection]));
    const stubs = stubHandlers(planner.program, each.handlers ?? {});
    const execution = { planner, sources, inputValidator: agrees, callers: stubs.callers };
    const run = ({ query, variables }: Operation, session: Session) =>
      executeData({ query, ...(variables && { variables }) }, session, execution);
    if (each.first) {
      try {
        const first = { ...each, ...each.first, role: each.first.role ?? each.role };
        await run(each.first, sessionOf(first, planner.program));
      } catch (error) {
        if (!(error instanceof EngineError)) throw error;
        return stopped(stubs.problem() ?? `what runs first was refused: ${error.message} (${error.code})`);
      }
    }
    try {
      const text = await run(each, sessionOf(each, planner.program));
      const problem = stubs.problem();
      return problem === undefined
        ? { data: parseExactJson(text) as Record<string, unknown> }
        : stopped(problem);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const problem = stubs.problem();
      return problem === undefined ? { error } : stopped(problem);
    }
  });
}

type Operation = Pick<RequestCase, 'query' | 'variables'>;

function compareError({ expect }: RequestCase, { code, message }: EngineError): Problem | undefined {
  if (!('error' in expect)) return { text: `it was refused: ${message} (${code})`, isRefusal: true };
  return code === expect.error || message.includes(expect.error)
    ? undefined
    : { text: `it was refused for another reason: ${message} (${code})`, isRefusal: true };
}

/** Trials of all databases, one within the other. */
function inTrials<Result>(
  [first, ...rest]: readonly (readonly [string, TrialDatabase])[],
  open: ReadonlyMap<string, Trial>,
  use: (trials: ReadonlyMap<string, Trial>) => Promise<Result>,
): Promise<Result> {
  if (!first) return use(open);
  const [name, database] = first;
  return database.trial((trial) => inTrials(rest, new Map([...open, [name, trial]]), use));
}

function sessionOf(
  { role, session = {}, trusted }: Pick<RequestCase, 'role' | 'session' | 'trusted'>,
  { vocabulary }: { readonly vocabulary: Vocabulary },
): Session {
  const variables = Object.entries(session).map(([name, value]) => [
    vocabulary.toCanonical(name) ?? name.toLowerCase(),
    String(value),
  ]);
  return {
    vocabulary,
    role,
    backendOnly: trusted ?? false,
    variables: { 'x-engine-role': role, ...Object.fromEntries(variables) },
  };
}

function compareAnswer({ expect }: RequestCase, data: Record<string, unknown>): string | undefined {
  if ('error' in expect) return `it was answered: ${short(data)}`;
  if ('data' in expect)
    return isDeepStrictEqual(data, expect.data)
      ? undefined
      : `the answer is ${short(data)}, not ${short(expect.data)}`;
  const [first] = Object.values(data);
  const rows = Array.isArray(first) ? first.length : first === null ? 0 : 1;
  return rows === expect.rows ? undefined : `${rows} rows were answered, not ${expect.rows}: ${short(data)}`;
}
