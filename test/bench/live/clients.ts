/** Clients of the benchmark of live queries: sockets with subscriptions, whose results are counted or timed by id. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';

const OPENED_AT_ONCE = 20;

export class Clients {
  readonly #url: string;
  readonly #open = new Set<WebSocket>();
  /** Called for every result with the number of its subscription. */
  received: (id: string, text: string) => void = () => {};
  errors = 0;
  /** Connections that were not accepted, and tried again. */
  refused = 0;
  /** Sockets that the other side has closed. */
  lost = 0;

  readonly #session: Readonly<Record<string, string>>;

  /** @param session headers that say who the clients are; by default they are administrators */
  constructor(port: number, session: Readonly<Record<string, string>> = {}) {
    this.#url = `ws://127.0.0.1:${port}/v1/graphql`;
    this.#session = session;
  }

  /** Opens a socket with as many subscriptions, and waits for nothing. */
  async flood(count: number, field: (index: number) => string): Promise<void> {
    await this.#openOne(
      Array.from({ length: count }, (_, index) => index),
      field,
    );
  }

  /** Opens sockets with subscriptions, and waits for their first results. */
  async subscribe(sockets: number, each: number, field: (index: number) => string): Promise<void> {
    const first = this.next(sockets * each);
    const numbers = Array.from({ length: sockets }, (_, number) => number);
    while (numbers.length > 0)
      await Promise.all(
        numbers.splice(0, OPENED_AT_ONCE).map((number) =>
          this.#openOne(
            Array.from({ length: each }, (_, count) => number * each + count),
            field,
          ),
        ),
      );
    await first;
  }

  /** Opens sockets with one subscription each, so many in a second. @returns milliseconds to each first result, of half a minute */
  async storm(sockets: number, perSecond: number, field: (index: number) => string): Promise<number[]> {
    const times: number[] = [];
    const began = new Map<string, number>();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.received = (id) => {
      const at = began.get(id);
      if (at === undefined) return;
      began.delete(id);
      times.push(performance.now() - at);
      if (times.length === sockets) finish();
    };
    const start = performance.now();
    for (let index = 0; index < sockets; index += 1) {
      const due = start + (index * 1000) / perSecond;
      if (due > performance.now()) await delay(due - performance.now());
      began.set(String(index), performance.now());
      void this.#openAtLast(index, field, () => began.has(String(index)));
    }
    await Promise.race([finished, delay(30_000)]);
    began.clear();
    return times;
  }

  /** As clients do that connect again when they were refused, or closed before the first result. */
  async #openAtLast(
    index: number,
    field: (index: number) => string,
    isWaiting: () => boolean,
  ): Promise<void> {
    while (isWaiting()) {
      try {
        const socket = await this.#openOne([index], field);
        while (isWaiting() && socket.readyState === socket.OPEN) await delay(500);
      } catch {
        // Refused.
      }
      if (!isWaiting()) return;
      this.refused += 1;
      await delay(200);
    }
  }

  async #openOne(indexes: readonly number[], field: (index: number) => string): Promise<WebSocket> {
    const socket = new WebSocket(this.#url, 'graphql-transport-ws');
    this.#open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#open.delete(socket)) this.lost += 1;
    });
    socket.on('message', (data) => {
      const text = String(data);
      const id = /^\{"type":"next","id":"(\d+)"/.exec(text)?.[1];
      if (id !== undefined) this.received(id, text);
      else if (text.startsWith('{"type":"error"')) this.errors += 1;
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { headers: this.#session } }));
    for (const index of indexes) {
      const payload = { query: `subscription { ${field(index)} }` };
      socket.send(JSON.stringify({ type: 'subscribe', id: String(index), payload }));
    }
    return socket;
  }

  /** Returns after so many results. */
  next(count: number): Promise<void> {
    let left = count;
    return new Promise((resolve) => {
      this.received = () => {
        left -= 1;
        if (left === 0) resolve();
      };
    });
  }

  async close(): Promise<void> {
    const sockets = [...this.#open];
    this.#open.clear();
    for (const socket of sockets) socket.close(1000);
    await Promise.all(sockets.map((socket) => socket.readyState === socket.CLOSED || once(socket, 'close')));
    this.received = () => {};
    this.errors = 0;
    this.refused = 0;
    this.lost = 0;
  }

  /**
   * Writes at a steady rate, each write in turn.
   * @param write changes the result of the subscription of this number
   * @returns milliseconds from the end of each write to its message; writes of one number within a message count once, and
   *   those without a message as if it came at the end
   */
  async latencies(
    writes: number,
    perSecond: number,
    numbers: number,
    write: (index: number) => Promise<unknown>,
  ): Promise<number[]> {
    const written = new Map<string, number>();
    const times: number[] = [];
    this.received = (id) => {
      const at = written.get(id);
      if (at !== undefined) times.push(Math.max(0, performance.now() - at));
      written.delete(id);
    };
    const start = performance.now();
    for (let count = 0; count < writes; count += 1) {
      const index = (count * 7) % numbers;
      const due = start + (count * 1000) / perSecond;
      if (due > performance.now()) await delay(due - performance.now());
      await write(index);
      if (!written.has(String(index))) written.set(String(index), performance.now());
    }
    await delay(1500);
    for (const at of written.values()) times.push(performance.now() - at);
    return times;
  }
}
