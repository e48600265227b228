/**
 * Looks for operations that hold their connections for long: moves what is behind them to other connections, and ends those
 * that wait in vain. docs/connections.md says why.
 */
import { type Lanes, LONG } from './lanes.ts';
import type { LockWaits } from './lock-waits.ts';
import { SILENT, type Silence } from './silence.ts';
import { cancelUnwanted, type Task, type TaskConnection } from './task.ts';

/**
 * Milliseconds between looks at the connections in use. Time is counted in looks, because a process that did not run for
 * a while has then missed looks as well as answers.
 */
const TICK = 50;
const SILENT_TICKS = SILENT / TICK;

/** Parts of the pool. */
export interface HeldOptions {
  readonly connections: readonly TaskConnection[];
  readonly lanes: Lanes<TaskConnection>;
  readonly lockWaits: LockWaits;
  readonly silence: Silence;
  /** Sends an operation again. */
  readonly start: (task: Task) => void;
  /** After each look: connections may be free now, or wanted. */
  readonly looked: () => void;
}

/** See the head of this file. It looks while operations run. */
export class HeldOperations {
  readonly #options: HeldOptions;
  #ticker: NodeJS.Timeout | undefined;
  /** Waits for locks are being ended. */
  #isEnding = false;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  /** An operation was sent. */
  watch(): void {
    this.#ticker ??= setInterval(() => setImmediate(() => this.#tick()), TICK).unref();
  }

  end(): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #tick(): void {
    const busy = this.#options.connections.filter(({ sent }) => sent.length > 0);
    if (busy.length === 0) {
      this.end();
      return;
    }
    for (const connection of busy) connection.ticks += 1;
    const held = busy.filter(({ ticks }) => ticks >= LONG);
    for (const { state, sent, ticks } of held) {
      const { task: head, turn } = sent[0]!;
      if (head.writes === undefined) head.known.isSlow = true;
      // What a write has sent may be committed, so its answer counts.
      if (turn === head.turn && head.writes === undefined) cancelUnwanted(head);
      if (state === 'taken' || ticks > LONG) continue;
      // Reads behind it run elsewhere; when their turn comes here, nothing waits for the answers any more.
      for (const { task, turn } of sent.slice(1)) {
        if (task.writes !== undefined || turn !== task.turn) continue;
        task.turn += 1;
        this.#options.start(task);
      }
    }
    void this.#endWaits(held);
    void this.#options.silence.look(held.filter(({ ticks }) => ticks % SILENT_TICKS === 0));
    this.#options.looked();
  }

  /**
   * Ends what is at the head of connections in vain: reads that run elsewhere by now or whose client has left; and writes that wait for locks while
   * others are behind them, or that hold more connections than slow operations may. Writes run again where they may wait.
   */
  async #endWaits(held: readonly TaskConnection[]): Promise<void> {
    const { lanes, lockWaits } = this.#options;
    // A pooler gives its own process ids, which may be those of other backends.
    const direct = held.filter(({ isDirect }) => isDirect);
    const stale = direct.filter(({ sent: [head] }) => head!.turn !== head!.task.turn);
    const undoable = direct.filter((connection) => mayBeUndone(connection.sent[0]!.task));
    const blocking = undoable.filter(({ sent }) => sent.length > 1);
    const excess = Math.max(0, -lanes.slowRoom() - blocking.length);
    const waits = [...blocking, ...undoable.filter(({ sent }) => sent.length === 1).slice(0, excess)];
    const asked = [...stale, ...waits];
    if (asked.length === 0 || this.#isEnding) return;
    this.#isEnding = true;
    const heads = asked.map(({ sent: [head] }) => head!.task);
    // Those behind, and those that are sent now, may be hit instead if the head ends by itself; they are undone as well.
    for (const connection of asked) {
      connection.isEnding = true;
      for (const { task } of connection.sent) task.wait ??= 'ending';
    }
    let ended: ReadonlySet<number> = new Set();
    try {
      ended = await lockWaits.end(processes(waits), processes(stale));
    } catch {
      // The database does not answer: nothing can be done about locks, either.
    }
    this.#isEnding = false;
    asked.forEach((connection, index) => {
      connection.isEnding = false;
      if (ended.has(connection.processId)) return;
      for (const { task } of connection.sent) if (task.wait === 'ending') task.wait = undefined;
      // It works, so others of its kind had better be alone.
      const head = heads[index]!;
      if (connection.state !== 'taken' && connection.sent[0]?.task === head) head.known.isSlow = true;
    });
  }
}

/** Operations that wait for a lock and can be undone: `once` cannot, and one that waited before keeps its place. */
function mayBeUndone({ writes, manner, wait }: Task): boolean {
  return writes !== undefined && manner !== 'once' && wait !== 'ended';
}

function processes(connections: readonly TaskConnection[]): number[] {
  return connections.map(({ processId }) => processId);
}
