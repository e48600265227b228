/** Sequences of random requests one after the other, each on new databases, until something does not hold. */
import { Random } from '../random.ts';
import { BEGINNING } from './beginning.ts';
import { check, faultOfRestart } from './check.ts';
import { type RandomRequest, randomRequest } from './random-operation.ts';
import { openWorkbench, type Workbench } from './served.ts';

const REQUESTS_PER_SEQUENCE = 40;
const REQUESTS_PER_RESTART = 10;
/** How many sequences begin with something to change. */
const BEGINS = 0.7;
/** How often the metadata database does not take a change. */
const STORE_FAILS = 0.08;

export interface CampaignOptions {
  /** A server on which databases may be created. */
  readonly serverUrl: string;
  /** What the names of those databases begin with. */
  readonly database: string;
  readonly seed: number;
  /** Requests in all. */
  readonly cases: number;
  /** A failing sequence is given as it was found, not made shorter. */
  readonly asFound?: boolean;
}

export interface FailedSequence {
  readonly seed: number;
  readonly number: number;
  readonly requests: readonly RandomRequest[];
  readonly fault: string;
}

export interface CampaignResult {
  readonly cases: number;
  /** By operation: how many were accepted and refused. */
  readonly counts: ReadonlyMap<string, { accepted: number; refused: number }>;
  readonly failed: FailedSequence | undefined;
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const counts = new Map<string, { accepted: number; refused: number }>();
  const workbench = await openWorkbench(options.serverUrl, options.database);
  let number = 0;
  try {
    for (let index = 0; number < options.cases; index += 1) {
      const random = new Random(options.seed * 1_000_003 + index);
      const sequence: RandomRequest[] = [];
      const fault = await runSequence(
        workbench,
        random,
        sequence,
        Math.min(REQUESTS_PER_SEQUENCE, options.cases - number),
        counts,
      );
      number += sequence.length;
      if (fault !== undefined) {
        const requests = options.asFound ? sequence : await shorten(workbench, sequence, fault);
        return { cases: number, counts, failed: { seed: options.seed, number, requests, fault } };
      }
    }
    return { cases: number, counts, failed: undefined };
  } finally {
    await workbench.close();
  }
}

async function runSequence(
  workbench: Workbench,
  random: Random,
  sequence: RandomRequest[],
  length: number,
  counts: Map<string, { accepted: number; refused: number }>,
): Promise<string | undefined> {
  const engine = await workbench.begin();
  try {
    while (sequence.length < length) {
      const request =
        sequence.length === 0 && random.chance(BEGINS)
          ? BEGINNING
          : withFailure(random, randomRequest({ random, state: engine.state, otherUrl: workbench.otherUrl }));
      sequence.push(request);
      const { refused, fault } = await check(engine, request, workbench);
      const count = counts.get(request.body.type) ?? { accepted: 0, refused: 0 };
      counts.set(request.body.type, count);
      count[refused ? 'refused' : 'accepted'] += 1;
      if (fault !== undefined) return fault;
      if (refused && request === BEGINNING) return `the beginning was refused: ${refused.message}`;
      if (sequence.length % REQUESTS_PER_RESTART === 0) {
        const restartFault = await faultOfRestart(engine, workbench);
        if (restartFault !== undefined) return restartFault;
      }
    }
    return undefined;
  } catch (error) {
    return `no answer at all: ${error instanceof Error ? error.stack : String(error)}`;
  } finally {
    await workbench.end();
  }
}

/** A request whose SQL nobody follows is not failed: what is served would rightly lag behind the database. */
function withFailure(random: Random, request: RandomRequest): RandomRequest {
  return request.endpoint !== '/v1/query' && random.chance(STORE_FAILS)
    ? { ...request, storeFails: true }
    : request;
}

/** The sequence without the requests that the fault does not need. */
async function shorten(
  workbench: Workbench,
  sequence: readonly RandomRequest[],
  fault: string,
): Promise<readonly RandomRequest[]> {
  let shortest = sequence;
  for (let index = sequence.length - 2; index >= 0; index -= 1) {
    const shorter = shortest.filter((_, position) => position !== index);
    const found = await replay(workbench, shorter);
    if (found !== undefined && found.slice(0, 20) === fault.slice(0, 20)) shortest = shorter;
  }
  return shortest;
}

async function replay(workbench: Workbench, sequence: readonly RandomRequest[]): Promise<string | undefined> {
  const engine = await workbench.begin();
  try {
    for (const request of sequence) {
      const { fault } = await check(engine, request, workbench);
      if (fault !== undefined) return fault;
    }
    return await faultOfRestart(engine, workbench);
  } catch (error) {
    return `no answer at all: ${error instanceof Error ? error.stack : String(error)}`;
  } finally {
    await workbench.end();
  }
}
