/** Random requests to two databases that differ only in what the role may not see: the answers are equal, errors included. */
import type { EngineError } from '../../../runtime/core/errors.ts';
import { EXTENSIONS } from '../../../runtime/core/names.ts';
import { databaseError } from '../../../runtime/database/errors.ts';
import { createLoader } from '../../../runtime/program/loader.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { defectOf } from '../hostile/check.ts';
import { Random } from '../random.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import { alike } from './alike.ts';
import { type HostileRequest, randomHostileRequest } from './random-request.ts';
import { randomWorld, type World } from './world.ts';

const REQUESTS_PER_WORLD = 15;
/** Beginning of an answer that is no answer: an unexpected error, whether or not both databases have it. */
const DEFECT = 'unexpected error: ';
const SESSION = { 'x-engine-user-id': '1' };

export interface CampaignOptions {
  /** A server on which databases may be created. */
  readonly serverUrl: string;
  /** Beginning of the names of the databases to make. */
  readonly database: string;
  readonly seed: number;
  readonly cases: number;
}

export interface FailedCase {
  readonly number: number;
  readonly world: World;
  readonly request: HostileRequest;
  readonly answers: readonly [string, string];
  readonly sql: string;
}

export interface CampaignResult {
  readonly cases: number;
  /** Requests that were answered with data, and those with an error, by its beginning. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly failed: FailedCase | undefined;
}

export async function runCampaign({
  serverUrl,
  database,
  seed,
  cases,
}: CampaignOptions): Promise<CampaignResult> {
  const sides = [
    await openSide(serverUrl, `${database}_a`),
    await openSide(serverUrl, `${database}_b`),
  ] as const;
  const outcomes = new Map<string, number>();
  try {
    let number = 0;
    for (let index = 0; number < cases; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const world = randomWorld(random);
      const served = [await sides[0].serve(world, 0), await sides[1].serve(world, 1)] as const;
      try {
        for (let count = 0; count < REQUESTS_PER_WORLD && number < cases; count += 1) {
          number += 1;
          const request = randomHostileRequest(random, world);
          const [one, other] = await Promise.all(served.map((side) => answer(side, request, world.role)));
          const outcome = one!.startsWith('{"data"') ? 'data' : one!.slice(0, 60);
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
          const isOrderOpen = world.isAnalyzed || request.writes;
          const isDefect = one!.startsWith(DEFECT) || other!.startsWith(DEFECT);
          if (isDefect || !alike(one!, other!, isOrderOpen)) {
            const sql = request.isLive ? '(live)' : served[0].sql(request, world.role, SESSION);
            return {
              cases: number,
              outcomes,
              failed: { number, world, request, answers: [one!, other!], sql },
            };
          }
          if (request.writes) await Promise.all(sides.map((side, position) => side.fill(world, position)));
        }
      } finally {
        await Promise.all(served.map((side) => side.end()));
      }
    }
    return { cases: number, outcomes, failed: undefined };
  } finally {
    await Promise.all(sides.map((side) => side.end()));
  }
}

async function answer(served: InProcess, request: HostileRequest, role: string): Promise<string> {
  try {
    return request.isLive
      ? await served.live(request, role, SESSION)
      : await served.answer(request, role, SESSION);
  } catch (error) {
    const defect = defectOf(error);
    if (defect !== undefined) return `${DEFECT}${defect}`;
    const { code, path, message } = databaseError(error) as EngineError;
    return `${code} at ${path}: ${message}`;
  }
}

/** One of the two databases. */
interface Side {
  readonly serve: (world: World, position: number) => Promise<InProcess>;
  readonly fill: (world: World, position: number) => Promise<void>;
  readonly end: () => Promise<void>;
}

async function openSide(serverUrl: string, name: string): Promise<Side> {
  const { url, name: database, client, reader, drop } = await createScratchDatabase(serverUrl, name);
  await client.query('set client_min_messages = warning');
  const loader = createLoader();
  const fill = async ({ rows, isAnalyzed }: World, position: number) => {
    await client.query(rows[position]!);
    if (isAnalyzed) await client.query('analyze team, item, note');
  };
  return {
    serve: async (world, position) => {
      const settings = Object.entries(world.settings).map(
        ([setting, value]) => `alter database ${database} set ${setting} = ${value}`,
      );
      await client.query([`alter database ${database} reset all`, ...settings].join(';\n'));
      await client.query(world.schema);
      await fill(world, position);
      return serveInProcess(url, world.metadata, loader, { reader, naming: { extensions: EXTENSIONS } });
    },
    fill,
    end: drop,
  };
}
