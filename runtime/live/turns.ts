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
export interface Turn {
  /** Does something when it is the socket's turn, which may be at once. */
  readonly take: (job: () => void) => void;
  /** Does things before all that waits. */
  readonly takeFirst: (jobs: readonly (() => void)[]) => void;
  /** Who the client is. @param path role, session and socket */
  readonly identify: (path: readonly string[]) => void;
  /** Forgets what waits. */
  readonly close: () => void;
}

interface Inbox {
  owner: Owner<Inbox>;
  jobs: (() => void)[];
  readonly socket: Pick<WebSocket, 'pause' | 'resume'>;
}

export class Turns {
  readonly #shares = new Shares<Inbox>();
  /** Milliseconds of this slice that are used up; undefined: it has not begun. */
  #used: number | undefined;

  /** @param socket is not read while its messages wait */
  open(socket: Inbox['socket'], id: string): Turn {
    const inbox: Inbox = { owner: this.#shares.enter(['', '', id]), jobs: [], socket };
    let isClosed = false;
    return {
      take: (job) => {
        if (inbox.jobs.length === 0 && (this.#used ?? 0) < SLICE) this.#run(inbox, job);
        else {
          inbox.jobs.push(job);
          this.#wait(inbox);
        }
      },
      takeFirst: (jobs) => {
        inbox.jobs = [...jobs, ...inbox.jobs];
        this.#wait(inbox);
      },
      identify: (path) => {
        if (isClosed) return;
        this.#shares.leave(inbox.owner);
        inbox.owner = this.#shares.enter(path);
        this.#wait(inbox);
      },
      close: () => {
        isClosed = true;
        inbox.jobs = [];
        this.#shares.leave(inbox.owner);
      },
    };
  }

  #wait(inbox: Inbox): void {
    if (inbox.jobs.length === 0) return;
    inbox.socket.pause();
    this.#shares.add(inbox.owner, 'quick', inbox);
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
      const inbox = this.#shares.take(['quick'])?.work;
      if (!inbox) return;
      const job = inbox.jobs.shift();
      if (!job) continue;
      if (inbox.jobs.length === 0) inbox.socket.resume();
      else this.#shares.add(inbox.owner, 'quick', inbox);
      this.#run(inbox, job);
      used = this.#used ?? 0;
    }
  }

  #run({ owner }: Inbox, job: () => void): void {
    const began = performance.now();
    this.#begin();
    try {
      job();
    } finally {
      const cost = performance.now() - began;
      this.#used = (this.#used ?? 0) + cost;
      this.#shares.charge(owner, cost);
    }
  }
}
