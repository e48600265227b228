/** Circuit breakers of triggers: after failures in a row without an answer, one call per interval is made until one is answered. */
import type { RetryShape } from '../core/contract/events.ts';
import type { Attempt } from './attempt.ts';

export interface Breakers {
  /** Events of a trigger that may be claimed now; undefined for any number. */
  room(trigger: string, settings: RetryShape['breaker']): number | undefined;
  /** An event of the trigger was claimed. */
  claimed(trigger: string, settings: RetryShape['breaker']): void;
  finished(trigger: string, settings: RetryShape['breaker'], attempt: Attempt): void;
}

interface State {
  /** In a row. */
  failures: number;
  /** By `performance.now()`. */
  nextProbe: number;
}

/** @param report a trigger has stopped being called, or is called again */
export function createBreakers(report: (message: string) => void): Breakers {
  const states = new Map<string, State>();
  const openState = (trigger: string, settings: RetryShape['breaker']) => {
    const state = states.get(trigger);
    return settings && state && state.failures >= settings.failures ? state : undefined;
  };
  const wait = (state: State, { interval }: { readonly interval: number }) => {
    state.nextProbe = performance.now() + interval * 1000;
  };
  return {
    room: (trigger, settings) => {
      const state = openState(trigger, settings);
      if (state === undefined) return undefined;
      return performance.now() < state.nextProbe ? 0 : 1;
    },
    claimed: (trigger, settings) => {
      const state = openState(trigger, settings);
      if (state) wait(state, settings!);
    },
    finished: (trigger, settings, { failure }) => {
      if (settings === undefined) return;
      if (failure === undefined) {
        if (openState(trigger, settings)) report(`event trigger "${trigger}" is answered again`);
        states.delete(trigger);
        return;
      }
      const state = states.get(trigger) ?? { failures: 0, nextProbe: 0 };
      states.set(trigger, state);
      state.failures += 1;
      if (state.failures !== settings.failures) return;
      wait(state, settings);
      report(
        `event trigger "${trigger}" is not answered: one event is tried every ${settings.interval} s until one is`,
      );
    },
  };
}
