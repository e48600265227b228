/** A client of the random test: what it has subscribed to, what it got last, and what it must never have got. */
import { once } from 'node:events';
import WebSocket from 'ws';

export type Row = Readonly<Record<string, unknown>>;

export interface LiveSubscription {
  readonly id: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Text of the last data. */
  last: string | undefined;
  /** Message that it could not be read, if that is what it got last. */
  failure: string | undefined;
  /** It got an error, because its values fail. */
  hasEnded: boolean;
  /** Of a stream: keys of all rows, in the order in which they came. */
  readonly streamed: number[];
}

export class Client {
  readonly session: Readonly<Record<string, string>>;
  readonly subscriptions = new Map<string, LiveSubscription>();
  /** What was wrong with a message. */
  fault: string | undefined;
  readonly #url: string;
  readonly #mayShow: (row: Row) => boolean;
  #socket: WebSocket | undefined;
  #pongs = 0;
  #counter = 0;

  /** @param mayShow whether a row may be shown to this client by now */
  constructor(url: string, session: Readonly<Record<string, string>>, mayShow: (row: Row) => boolean) {
    this.#url = url;
    this.session = session;
    this.#mayShow = mayShow;
  }

  async open(): Promise<void> {
    const socket = new WebSocket(this.#url, 'graphql-transport-ws');
    this.#socket = socket;
    await once(socket, 'open');
    const acknowledged = once(socket, 'message');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { headers: this.session } }));
    await acknowledged;
    socket.on('message', (data) => this.#take(String(data)));
    socket.on('close', (code) => {
      if (socket === this.#socket) this.fault ??= `the socket was closed: ${code}`;
    });
    for (const subscription of this.subscriptions.values()) {
      subscription.last = undefined;
      subscription.failure = undefined;
      subscription.hasEnded = false;
      subscription.streamed.length = 0;
      this.#start(subscription);
    }
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close(1000);
    if (socket && socket.readyState !== socket.CLOSED) await once(socket, 'close');
  }

  subscribe(query: string, variables: Readonly<Record<string, unknown>>): void {
    this.#counter += 1;
    const id = String(this.#counter);
    const subscription = {
      id,
      query,
      variables,
      last: undefined,
      failure: undefined,
      hasEnded: false,
      streamed: [],
    };
    this.subscriptions.set(id, subscription);
    this.#start(subscription);
  }

  unsubscribe(id: string): void {
    this.subscriptions.delete(id);
    this.#send({ type: 'complete', id });
  }

  /** Returns when every message that the server has sent by now is here. */
  async drained(): Promise<void> {
    const before = this.#pongs;
    this.#send({ type: 'ping' });
    while (this.#pongs === before && !this.fault) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  #start({ id, query, variables }: LiveSubscription): void {
    this.#send({ type: 'subscribe', id, payload: { query, variables } });
  }

  #send(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #take(text: string): void {
    const { type, id, payload } = JSON.parse(text) as {
      type: string;
      id?: string;
      payload?: { data?: Record<string, unknown> | null; errors?: unknown };
    };
    if (type === 'pong') this.#pongs += 1;
    const subscription = id === undefined ? undefined : this.subscriptions.get(id);
    if (!subscription || type === 'complete') return;
    if (subscription.hasEnded) this.fault ??= `a message after the end: ${text}`;
    if (type === 'error') {
      if (!mayFail(subscription)) this.fault ??= `an error: ${text}`;
      subscription.hasEnded = true;
    }
    if (type !== 'next') return;
    if (!payload?.data) {
      // The connection was lost, which the test does to it, or data make it fail.
      if (subscription.failure === text) this.fault ??= `the same error again: ${text}`;
      subscription.last = undefined;
      subscription.failure = text;
      return;
    }
    subscription.failure = undefined;
    const data = JSON.stringify(payload.data);
    const isStream = subscription.query.includes('_stream');
    if (data === subscription.last && !isStream) this.fault ??= `the same again: ${text}`;
    const rows = Object.values(payload.data).flat().filter(Boolean) as Row[];
    for (const row of rows) if (!this.#mayShow(row)) this.fault ??= `a row that may not be shown: ${text}`;
    if (isStream) {
      for (const { id: key } of rows) subscription.streamed.push(key as number);
      return;
    }
    const tick = (text: string | undefined) =>
      text === undefined ? -1 : Number(/^\{"(?:tick_by_pk|slow_tick)":\[?\{"n":(\d+)/.exec(text)?.[1] ?? -1);
    if (tick(data) < tick(subscription.last))
      this.fault ??= `an older state: ${subscription.last}, then ${data}`;
    subscription.last = data;
  }
}

/** Whether the values of a subscription may fail, at once or with some data. */
function mayFail({ query, variables }: Pick<LiveSubscription, 'query' | 'variables'>): boolean {
  return query.includes('brittle') || /^[([*]/.test(String(variables.p ?? ''));
}
