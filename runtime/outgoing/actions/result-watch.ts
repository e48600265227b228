/**
 * Watches stored calls until they end: those that this instance works on are reported at once, those of others by one
 * statement for all of them, each interval.
 * @rule When does a subscription to the result of an action get it?
 */
import type { EngineError } from '../../core/errors.ts';
import { remember } from '../../core/remember.ts';
import type { Watcher } from '../../graphql/request.ts';
import type { StoredCall } from './action-log.ts';

export interface ResultWatch {
  /**
   * Watches until none of these calls is pending any more. Those that may not be seen count as ended at once, so the
   * watch reveals nothing about them.
   * @returns ends it
   */
  readonly watch: (
    ids: readonly string[],
    maySee: (call: StoredCall) => boolean,
    watcher: Watcher,
  ) => () => void;
  /** These calls have ended. */
  readonly ended: (ids: readonly string[]) => void;
  readonly stop: () => void;
}

export interface ResultWatchOptions {
  /** Those of the calls that are stored and have not ended. @throws EngineError */
  readonly pending: (ids: readonly string[]) => Promise<readonly StoredCall[]>;
  /** Milliseconds between two looks. */
  readonly interval: number;
}

/** Milliseconds in which new ids gather, to be looked at together. */
const GATHER = 3;

interface Watched {
  readonly watcher: Watcher;
  readonly maySee: (call: StoredCall) => boolean;
  readonly pending: Set<string>;
  /** Its watcher was notified, and of no failure since. */
  isNotified: boolean;
}

export function createResultWatch({ pending, interval }: ResultWatchOptions): ResultWatch {
  const byId = new Map<string, Set<Watched>>();
  /** Ids that were not looked at yet. */
  let fresh = new Set<string>();
  let gathering: NodeJS.Timeout | undefined;
  let next: NodeJS.Timeout | undefined;

  const forget = (id: string, watched: Watched) => {
    watched.pending.delete(id);
    const all = byId.get(id);
    all?.delete(watched);
    if (all?.size === 0) byId.delete(id);
  };
  const notify = (watched: Watched) => {
    watched.isNotified = true;
    watched.watcher.changed(watched.pending.size === 0);
  };
  const look = async (ids: readonly string[]) => {
    const asked = ids.flatMap((id) => [...(byId.get(id) ?? [])].map((watched) => [id, watched] as const));
    const changed = new Set<Watched>();
    try {
      const calls = new Map((await pending(ids)).map((call) => [call.id, call]));
      for (const [id, watched] of asked) {
        const call = calls.get(id);
        const hasEnded = !call || !watched.maySee(call);
        // It may have been reported as ended meanwhile.
        if (hasEnded && watched.pending.has(id)) forget(id, watched);
        else if (hasEnded || watched.isNotified) continue;
        changed.add(watched);
      }
    } catch (error) {
      for (const [, watched] of asked) {
        if (watched.isNotified) watched.watcher.failed(error as EngineError);
        watched.isNotified = false;
      }
    }
    for (const watched of changed) notify(watched);
  };
  const lookAgain = () => {
    next ??= setTimeout(async () => {
      if (byId.size > 0) await look([...byId.keys()]);
      next = undefined;
      if (byId.size > 0) lookAgain();
    }, interval).unref();
  };
  const gather = () => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      const ids = [...fresh];
      fresh = new Set();
      void look(ids);
      lookAgain();
    }, GATHER);
  };

  return {
    watch: (ids, maySee, watcher) => {
      const watched: Watched = { watcher, maySee, pending: new Set(ids), isNotified: false };
      for (const id of watched.pending) {
        remember(byId, id, () => new Set<Watched>()).add(watched);
        fresh.add(id);
      }
      gather();
      return () => {
        for (const id of [...watched.pending]) forget(id, watched);
      };
    },
    ended: (ids) => {
      for (const id of ids)
        for (const watched of [...(byId.get(id) ?? [])]) {
          forget(id, watched);
          notify(watched);
        }
    },
    stop: () => {
      clearTimeout(gathering);
      clearTimeout(next);
      byId.clear();
    },
  };
}
