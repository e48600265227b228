/**
 * Batches of hostile frames, requests and answers against a server in a process of its own. No case may end the process, keep
 * it busy for long, be answered with an error that nobody expected, or take much memory of the database; and after each batch a
 * healthy client is served.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Random } from '../random.ts';
import { createScratchDatabase, type ScratchDatabase } from '../scratch-database.ts';
import { httpProblems, socketProblems } from './answers.ts';
import { type HttpCase, httpCase, peerCase } from './bodies.ts';
import { sendFrames, sendRequests } from './client.ts';
import { describeSocket, type SocketCase, socketCase } from './frames.ts';
import { askAsHealthyClient } from './healthy.ts';
import { describeAnswer, type Peers, startPeers } from './peers.ts';
import { applyMetadata, type FuzzedServer, startFuzzedServer } from './server.ts';
import { printable } from './texts.ts';
import { worldSql } from './world.ts';

/** Frames, and as many requests, of a batch. */
const BATCH = 600;
/** Frames of one client, and requests on one connection. */
const IN_A_ROW = 20;
/** Connections at once. */
const AT_ONCE = 16;
/** Milliseconds of processor time that the server may be busy with one case, for each megabyte begun. */
const STALL = 100;
/** The same of a batch, whose cases the server may take in one turn. */
const BATCH_STALL = 400;
/** Bytes by which the heap may grow from the first tenth of a campaign to its end. */
const GROWTH = 128 * 1024 * 1024;
/** Kilobytes that a session of the database may take, with the memory that all share. */
const SESSION = 1_200_000;
/** Milliseconds in which the server's log lines arrive. */
const LOG_DELAY = 400;
const MAX_FOUND = 12;

/** What is sent on one connection. */
type Unit =
  | { readonly kind: 'socket'; readonly case: SocketCase }
  | {
      readonly kind: 'http';
      readonly cases: readonly HttpCase[];
      readonly first: number;
      readonly leaves: boolean;
    };

interface Found {
  readonly problem: string;
  readonly batch: number;
  /** The input, as a person can read it. */
  readonly input: string;
}

export interface SocketsResult {
  readonly frames: number;
  readonly requests: number;
  readonly found: readonly Found[];
  /** Milliseconds of processor time. */
  readonly longestStall: number;
  /** Bytes. */
  readonly growth: number;
}

export interface SocketsOptions {
  readonly serverUrl: string;
  readonly database: string;
  readonly seed: number;
  /** Frames, and as many requests. */
  readonly cases: number;
  /** The first problem ends the campaign, with its batch instead of its input. */
  readonly asFound?: boolean;
  /** Is given each problem when it is found. */
  readonly report?: (found: Found) => void;
}

export async function runCampaign(options: SocketsOptions): Promise<SocketsResult> {
  const { serverUrl, database, seed, cases } = options;
  const scratch = await createScratchDatabase(serverUrl, database);
  const peers = await startPeers(seed);
  const campaign = new Campaign(scratch, peers, options);
  try {
    await scratch.client.query(worldSql);
    return await campaign.run(cases);
  } finally {
    await campaign.stop();
    peers.close();
    await scratch.drop();
  }
}

class Campaign {
  readonly #database: ScratchDatabase;
  readonly #peers: Peers;
  readonly #seed: number;
  readonly #asFound: boolean;
  readonly #report: (found: Found) => void;
  readonly #found = new Map<string, Found>();
  #server: FuzzedServer | undefined;
  #longestStall = 0;

  constructor(
    database: ScratchDatabase,
    peers: Peers,
    { seed, asFound = false, report = () => {} }: SocketsOptions,
  ) {
    this.#database = database;
    this.#peers = peers;
    this.#seed = seed;
    this.#asFound = asFound;
    this.#report = report;
  }

  async run(cases: number): Promise<SocketsResult> {
    let frames = 0;
    let requests = 0;
    let heap: number | undefined;
    for (let batch = 0; frames < cases && this.#found.size < (this.#asFound ? 1 : MAX_FOUND); batch += 1) {
      const random = new Random(this.#seed * 1_000_003 + batch);
      const units = randomUnits(random, Math.min(BATCH, cases - frames), requests);
      for (const unit of units)
        if (unit.kind === 'socket') frames += unit.case.frames.length;
        else requests += unit.cases.length;
      await this.#check(units, batch);
      await this.#checkDatabase(batch);
      if (heap === undefined && frames >= cases / 10) heap = await this.#heap();
    }
    const growth = (await this.#heap()) - (heap ?? 0);
    if (growth > GROWTH && this.#found.size === 0)
      this.#note(`the heap has grown by ${Math.round(growth / 2 ** 20)} MB`, -1, 'all batches');
    const found = [...this.#found.values()];
    return { frames, requests, found, longestStall: this.#longestStall, growth };
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** Sends a batch; what it shows is narrowed down to one unit, and that to one case. */
  async #check(units: readonly Unit[], batch: number): Promise<void> {
    for (const problem of await this.#send(units)) {
      if (this.#found.has(problem) || this.#found.size >= MAX_FOUND) continue;
      if (this.#asFound) {
        this.#note(problem, batch, `${units.length} connections together`);
        continue;
      }
      const causes = await this.#narrow(units, problem);
      if (problem === STALLED && (causes.length > 1 || !(await this.#stalls(causes)))) continue;
      const input =
        causes.length > 3 ? `${causes.length} connections together` : causes.map(this.#describe).join('\n\n');
      this.#note(problem, batch, input);
    }
  }

  /** Planning takes memory that no timeout bounds. Only Linux says how much. */
  async #checkDatabase(batch: number): Promise<void> {
    if (process.platform !== 'linux') return;
    const { rows } = await this.#database.client.query<{ pid: number; query: string }>(
      'select pid, query from pg_stat_activity where datname = current_database()',
    );
    for (const { pid, query } of rows) {
      const kilobytes = residentKilobytes(pid);
      if (kilobytes > SESSION)
        this.#note(`a session of the database took ${Math.round(kilobytes / 1000)} MB`, batch, query);
    }
  }

  #note(problem: string, batch: number, input: string): void {
    const found = { problem, batch, input };
    this.#found.set(problem, found);
    this.#report(found);
  }

  /** The problems that sending these units shows. */
  async #send(units: readonly Unit[], settle = 0): Promise<ReadonlySet<string>> {
    const server = await this.#running();
    const problems = new Set<string>();
    const waiting = [...units];
    await server.inside();
    const client = async () => {
      for (let unit = waiting.shift(); unit; unit = waiting.shift())
        for (const problem of await sendUnit(server.port, unit)) problems.add(problem);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    try {
      await delay(settle);
      await this.#askAsHealthyClient(server);
      const { stall, inherited } = await server.inside();
      if (inherited.length > 0) {
        problems.add('every object has got what a peer sent');
        await server.stop();
      }
      if (stall > (units.length > 1 ? BATCH_STALL : STALL) * megabytes(units)) problems.add(STALLED);
      else this.#longestStall = Math.max(this.#longestStall, stall);
    } catch (error) {
      // The exit may be noticed later than the connection that it broke.
      await delay(LOG_DELAY);
      problems.add(server.ended() ?? String((error as Error).message));
    }
    for (const defect of server.defects()) problems.add(defect);
    return problems;
  }

  async #askAsHealthyClient(server: FuzzedServer): Promise<void> {
    try {
      await askAsHealthyClient(server.port);
    } catch (error) {
      if (server.ended() !== undefined) throw error;
      // An operation of the metadata API may have changed what is served.
      await applyMetadata(server, this.#peers.url);
      await askAsHealthyClient(server.port);
    }
  }

  /** The fewest units that show the problem, of halves, and of a unit of several cases the one case. */
  async #narrow(units: readonly Unit[], problem: string): Promise<readonly Unit[]> {
    const parts = units.length > 1 ? halves(units) : partsOf(units[0]!);
    for (const part of parts) {
      if ((await this.#send(part, LOG_DELAY)).has(problem)) return this.#narrow(part, problem);
    }
    return units;
  }

  /** Whether a case keeps the server busy every time. */
  async #stalls(units: readonly Unit[]): Promise<boolean> {
    for (let time = 0; time < 3; time += 1) if (!(await this.#send(units)).has(STALLED)) return false;
    return true;
  }

  async #running(): Promise<FuzzedServer> {
    if (this.#server?.ended() !== undefined) this.#server = undefined;
    this.#server ??= await startFuzzedServer(this.#database.url, this.#peers.url);
    return this.#server;
  }

  async #heap(): Promise<number> {
    const server = await this.#running();
    return (await server.inside(true)).heap;
  }

  readonly #describe = (unit: Unit): string => {
    if (unit.kind === 'socket') return describeSocket(unit.case);
    const calls = unit.cases.filter(({ call }) => call !== undefined);
    return [
      ...unit.cases.map(({ bytes }) => printable(bytes)),
      ...calls.map(({ call }) => describeAnswer(this.#seed, call!)),
    ].join('\n');
  };
}

/** 0 for a process that has ended. */
function residentKilobytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

const STALLED = 'the server was busy for too long';

function randomUnits(random: Random, count: number, first: number): Unit[] {
  const units: Unit[] = [];
  for (let left = count; left > 0; ) {
    const made = socketCase(random, Math.min(left, random.between(1, IN_A_ROW)));
    left -= made.frames.length;
    units.push({ kind: 'socket', case: made });
  }
  for (let number = first; number < first + count; ) {
    const cases: HttpCase[] = [];
    const isOfPeers = random.chance(0.1);
    while (cases.length < IN_A_ROW && number + cases.length < first + count) {
      cases.push(isOfPeers ? peerCase(random, number + cases.length) : httpCase(random));
      if (!cases.at(-1)!.isFramed) break;
    }
    units.push({ kind: 'http', cases, first: number, leaves: random.chance(0.1) });
    number += cases.length;
  }
  return random.shuffle(units);
}

async function sendUnit(port: number, unit: Unit): Promise<readonly string[]> {
  return unit.kind === 'socket'
    ? socketProblems(await sendFrames(port, unit.case))
    : httpProblems(await sendRequests(port, unit.cases, unit.leaves), isOfPeers(unit));
}

/** What a peer answers wrongly may be an unexpected error. */
function isOfPeers({ cases }: Unit & { kind: 'http' }): boolean {
  return cases.some(({ call }) => call !== undefined);
}

function halves(units: readonly Unit[]): readonly (readonly Unit[])[] {
  const middle = units.length >> 1;
  return [units.slice(0, middle), units.slice(middle)];
}

/** The unit with fewer cases: single ones, or without one of them. */
function partsOf(unit: Unit): readonly (readonly Unit[])[] {
  if (unit.kind === 'http')
    return unit.cases.length === 1
      ? []
      : unit.cases.map((each, index) => [{ ...unit, cases: [each], first: unit.first + index }]);
  const { frames } = unit.case;
  if (frames.length < 2) return [];
  return frames.map((_, index) => [
    { kind: 'socket', case: { ...unit.case, frames: frames.filter((_, other) => other !== index) } },
  ]);
}

function megabytes(units: readonly Unit[]): number {
  let bytes = 0;
  for (const unit of units)
    for (const each of unit.kind === 'socket' ? unit.case.frames : unit.cases)
      bytes += 'bytes' in each ? each.bytes.length : each.length;
  return Math.ceil(bytes / 1_000_000);
}
