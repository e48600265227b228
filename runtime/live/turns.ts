/**
 * When the messages of sockets are handled. Planning a subscription takes a millisecond or more, and a client may send thousands of them
 * together: messages are handled for some milliseconds at a time, and if any wait, one of the role, the session and the socket that
 * took least so far comes next (shares.ts).
 */
import type { WebSocket } from 'ws';
import { type Owner, Shares } from './shares.ts';

/** Milliseconds after which other work of the server gets its turn, which takes several to pass on what a database answers. */
const SLICE = 2;

/** The messages of one socket, in their order. */
export class Turn {
  readonly socket: Pick<WebSocket, 'pause' | 'resume'>;
  /** Where the socket's share is. */
  owner: Owner<Turn>;
  jobs: (() => void)[] = [];
  readonly #turns: Turns;
  #isClosed = false;

  constructor(turns: Turns, socket: Turn['socket'], owner: Owner<Turn>) {
    this.#turns = turns;
    this.socket = socket;
    this.owner = owner;
  }

  /** Does something when it is the socket's turn, which may be at once. */
  take(job: () => void): void {
    if (this.#turns.runAtOnce(this, job)) return;
    this.jobs.push(job);
    this.#turns.wait(this);
  }

  /** Does things before all that waits. */
  takeFirst(jobs: readonly (() => void)[]): void {
    this.jobs = [...jobs, ...this.jobs];
    this.#turns.wait(this);
  }

  /** Who the client is. @param path role, session and socket */
  identify(path: readonly string[]): void {
    if (this.#isClosed) return;
    this.#turns.shares.leave(this.owner);
    this.owner = this.#turns.shares.enter(path);
    this.#turns.wait(this);
  }

  /** Forgets what waits. */
  close(): void {
    this.#isClosed = true;
    this.jobs = [];
    this.#turns.shares.leave(this.owner);
  }
}

export class Turns {
  readonly shares = new Shares<Turn>();
  /** Milliseconds of this slice that are used up; undefined: it has not begun. */
  #used: number | undefined;

  /** @param socket is not read while its messages wait */
  open(socket: Turn['socket'], id: string): Turn {
    return new Turn(this, socket, this.shares.enter(['', '', id]));
  }

  /** Does something unless others of the socket wait, or the slice is used up. @returns whether it was done */
  runAtOnce(turn: Turn, job: () => void): boolean {
    if (turn.jobs.length > 0 || (this.#used ?? 0) >= SLICE) return false;
    this.#run(turn, job);
    return true;
  }

  /** A socket has jobs that wait. */
  wait(turn: Turn): void {
    if (turn.jobs.length === 0) return;
    turn.socket.pause();
    this.shares.add(turn.owner, 'quick', turn);
    this.#begin();
  }

  #begin(): void {
    if (this.#used !== undefined) return;
    this.#used = 0;
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    this.#used = undefined;
    let used = 0;
    while (used < SLICE) {
      const turn = this.shares.take(['quick'])?.work;
      if (!turn) return;
      const job = turn.jobs.shift();
      if (!job) continue;
      if (turn.jobs.length === 0) turn.socket.resume();
      else this.shares.add(turn.owner, 'quick', turn);
      this.#run(turn, job);
      used = this.#used ?? 0;
    }
  }

  #run({ owner }: Turn, job: () => void): void {
    const began = performance.now();
    this.#begin();
    try {
      job();
    } finally {
      const cost = performance.now() - began;
      this.#used = (this.#used ?? 0) + cost;
      this.shares.charge(owner, cost);
    }
  }
}
