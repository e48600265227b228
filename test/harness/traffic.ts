/** Clients that ask a server all the time, and what became of their requests. */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunningServer } from '../../runtime/server/main.ts';
import { send } from './server.ts';

export interface Outcome {
  /** performance.now() of the request and of its answer. */
  readonly began: number;
  readonly ended: number;
  readonly status: number;
  /** Of the first error; undefined when all went well. */
  readonly error?: { readonly message: string; readonly code: string } | undefined;
  readonly data?: unknown;
}

export async function ask(
  server: RunningServer,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const began = performance.now();
  const { status, json } = await send(server, '/v1/graphql', { body: { query }, headers });
  const ended = performance.now();
  const answer = json as { data?: unknown; errors?: { message: string; extensions: { code: string } }[] };
  const first = answer.errors?.[0];
  const error = first && { message: first.message, code: first.extensions.code };
  return { began, ended, status, error, data: answer.data };
}

export interface Traffic {
  readonly outcomes: readonly Outcome[];
  /** Waits for a request that begins from now on and succeeds. Milliseconds that it took. */
  recovered(): Promise<number>;
  stop(): Promise<readonly Outcome[]>;
}

/** @param query the next request; `done` gets what became of it */
export function beginTraffic(
  server: RunningServer,
  clients: number,
  query: () => { readonly text: string; readonly done?: (outcome: Outcome) => void },
): Traffic {
  const outcomes: Outcome[] = [];
  let isDone = false;
  const run = async () => {
    while (!isDone) {
      const { text, done } = query();
      const outcome = await ask(server, text);
      outcomes.push(outcome);
      done?.(outcome);
      await delay(5);
    }
  };
  const running = Array.from({ length: clients }, run);
  return {
    outcomes,
    recovered: async () => {
      const since = performance.now();
      for (;;) {
        const good = outcomes.find(({ began, error }) => began >= since && !error);
        if (good) return good.ended - since;
        await delay(5);
      }
    },
    stop: async () => {
      isDone = true;
      await Promise.all(running);
      return outcomes;
    },
  };
}
