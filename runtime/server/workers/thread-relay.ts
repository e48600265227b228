/**
 * Gives one metadata thread to all workers. A program is served in two steps: every worker that serves has loaded it before the
 * thread goes on, and every one has swapped before the answer that acknowledges the change goes out. A worker that starts
 * first gets what is served, and takes part in every change from then on; nothing waits for it until it has caught up.
 */
import { guarded } from '../../core/guarded.ts';
import type { MetadataThread } from '../../metadata-api/thread/start-thread.ts';
import {
  type MessageFromThread,
  type MessageToThread,
  type SentError,
  STARTED,
} from '../../metadata-api/thread/thread-messages.ts';
import type { TranspiledFile } from '../../program/evaluator.ts';

/** A worker as the relay sees it. */
interface Peer {
  readonly send: (message: MessageFromThread) => void;
  /** The thread has ended. */
  readonly ended: () => void;
}

/** The use that one worker makes of the thread. */
export interface RelayChannel {
  readonly receive: (message: MessageToThread) => void;
  /** The worker has handled the last message. */
  readonly handled: () => void;
  readonly close: () => void;
}

export interface ThreadRelay {
  readonly join: (peer: Peer) => RelayChannel;
  /** Ends the thread once what runs there is done. */
  readonly stop: () => Promise<void>;
}

type Load = Extract<MessageFromThread, { kind: 'load' }>;
type Answer = Extract<MessageFromThread, { kind: 'answer' }>;
type Files = ReadonlyMap<string, TranspiledFile>;

/** A worker, and the messages that it has yet to handle, which it gets one at a time. */
class Member {
  readonly #peer: Peer;
  #last: Promise<unknown> = Promise.resolve();
  #handled: ((error?: SentError) => void) | undefined;
  #unhandled = 0;
  #isClosed = false;
  /** It serves, or is about to: changes wait for it. */
  isServing = false;

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  get isIdle(): boolean {
    return this.#unhandled === 0;
  }

  /** Sends what the worker has to handle. Resolves when it has, or has ended; with its error if it could not. */
  tell(message: MessageFromThread): Promise<SentError | undefined> {
    this.#unhandled += 1;
    const told = this.#last.then(
      () =>
        new Promise<SentError | undefined>((resolve) => {
          if (this.#isClosed) return resolve(undefined);
          this.#handled = resolve;
          this.#peer.send(message);
        }),
    );
    this.#last = told.then(() => {
      this.#unhandled -= 1;
    });
    return this.#last.then(() => told);
  }

  answer(message: Answer): void {
    if (!this.#isClosed) this.#peer.send(message);
  }

  handled(error?: SentError): void {
    this.#handled?.(error);
  }

  close(): void {
    this.#isClosed = true;
    this.handled();
  }

  ended(): void {
    this.close();
    this.#peer.ended();
  }
}

/**
 * @param observe takes what concerns the thread itself, once
 * @param lost called when the thread has ended, or cannot start
 */
export function relayThread(
  thread: MetadataThread,
  observe: (message: MessageFromThread) => void,
  lost: () => void,
  report: (error: unknown) => void,
): ThreadRelay {
  const members = new Set<Member>();
  /** Calls of workers that the thread has to answer, by the number that they have there. */
  const calls = new Map<number, { readonly number: number; readonly answer: (answer: Answer) => void }>();
  /** What is served, and later programs that may be; each with all its files. */
  const loads = new Map<number, { readonly files: Files; readonly sources: Load['sources'] }>();
  /** Files as they were sent last. */
  let files: Files = new Map();
  let active: number | undefined;
  /** The last message of each kind, for workers that join. */
  const settings = new Map<MessageFromThread['kind'], MessageFromThread>();
  let started: Answer | undefined;
  /** Every serving worker has swapped. */
  let swapped: Promise<unknown> = Promise.resolve();
  let next = STARTED + 1;

  const tellAll = (message: MessageFromThread): Promise<readonly (SentError | undefined)[]> => {
    const serving: Promise<SentError | undefined>[] = [];
    for (const member of members) {
      const told = tell(member, message);
      if (member.isServing) serving.push(told);
    }
    return Promise.all(serving);
  };
  const tell = async (member: Member, message: MessageFromThread) => {
    const error = await member.tell(message);
    if (!member.isServing && error) member.answer({ kind: 'answer', number: STARTED, error });
    else catchUp(member);
    return error;
  };
  /** A worker may serve once it has all that there is. */
  const catchUp = (member: Member) => {
    if (!started || !member.isIdle || member.isServing) return;
    member.isServing = true;
    member.answer(started);
  };
  const take = (changed: Files, removed: readonly string[] = []) => {
    const all = new Map([...files, ...changed]);
    for (const path of removed) all.delete(path);
    files = all;
  };
  const answerThread = async (number: number, told: Promise<readonly (SentError | undefined)[]>) => {
    const error = (await told).find((each) => each !== undefined);
    thread.send({ kind: 'answer', number, ...(error && { error }) });
  };

  const fromThread = (message: MessageFromThread) => {
    switch (message.kind) {
      case 'files':
        take(message.changed);
        return answerThread(message.number, tellAll(message));
      case 'load':
        take(message.changed, message.removed);
        loads.set(message.number, { files, sources: message.sources });
        return answerThread(message.number, tellAll(message));
      case 'activate':
        active = message.number;
        for (const number of [...loads.keys()]) if (number < active) loads.delete(number);
        swapped = Promise.all([swapped, tellAll(message)]);
        return;
      case 'answer':
        return swapped.then(() => fromCall(message));
      case 'observe':
        return observe(message);
      default:
        observe(message);
        settings.set(message.kind, message);
        void tellAll(message);
    }
  };
  const fromCall = (message: Answer) => {
    if (message.number === STARTED) {
      started = message;
      settings.delete('waiting');
      for (const member of members) catchUp(member);
      if (message.error) end();
      return;
    }
    const call = calls.get(message.number);
    calls.delete(message.number);
    call?.answer({ ...message, number: call.number });
  };
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    void thread.terminate();
    lost();
    for (const member of members) member.ended();
  };
  thread.receive(guarded(fromThread, report));
  thread.whenEnded(
    guarded((error?: unknown) => {
      if (error !== undefined && !hasEnded) report(error);
      end();
    }, report),
  );
  const call = (message: MessageToThread, answer: (answer: Answer) => void) => {
    const number = next;
    next += 1;
    calls.set(number, { number: message.number, answer });
    thread.send({ ...message, number });
  };

  return {
    join: (peer) => {
      const member = new Member(peer);
      members.add(member);
      for (const message of settings.values()) void tell(member, message);
      let sent: Files = new Map();
      const differing = (wanted: Files) =>
        new Map([...wanted].filter(([path, file]) => sent.get(path) !== file));
      for (const [number, { files: wanted, sources }] of loads) {
        const removed = [...sent.keys()].filter((path) => !wanted.has(path));
        void tell(member, { kind: 'load', number, changed: differing(wanted), removed, sources });
        if (number === active) void tell(member, { kind: 'activate', number });
        sent = wanted;
      }
      void tell(member, { kind: 'files', number: STARTED, changed: differing(files) });
      return {
        receive: (message) => {
          if (message.kind === 'answer') member.handled(message.error);
          // Others go on using the thread.
          else if (message.kind === 'stop') member.answer({ kind: 'answer', number: message.number });
          else call(message, (answer) => member.answer(answer));
        },
        handled: () => member.handled(),
        close: () => {
          members.delete(member);
          member.close();
        },
      };
    },
    stop: async () => {
      if (hasEnded) return;
      hasEnded = true;
      await new Promise((resolve) => {
        thread.whenEnded(resolve);
        call({ kind: 'stop', number: STARTED }, resolve);
      });
      await thread.terminate();
    },
  };
}
