/** The one kind of client that connects to PostgreSQL servers: by libpq's rules, and it ends alone. */
import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { EngineError } from '../core/errors.ts';
import { type Method, refusal } from './authentication.ts';
import { HostsFailedError, isAboutEncryption, isHostAway, setPlace } from './failures.ts';
import { TextQuery } from './text-query.ts';
import { type ConnectionConfiguration, type SessionKind, type Way, waysTo } from './ways.ts';
import { wholeMessages } from './whole-messages.ts';

/** Milliseconds. Without a limit, a host that drops packets blocks its callers for minutes. */
const CONNECT_TIMEOUT = 15_000;

/** What an address does not say, or says better. */
type Settings = Pick<
  pg.ClientConfig,
  'application_name' | 'keepAlive' | 'keepAliveInitialDelayMillis' | 'connectionTimeoutMillis'
> & { readonly pipeline?: boolean };

/** All that `pg` wants of a stream from which it reads. */
interface Listened {
  on(event: string, listener: (bytes: Buffer) => void): unknown;
}

interface Wire extends EventEmitter {
  stream: Duplex;
  attachListeners: (stream: Listened) => void;
}

/** What of `pg`'s clients is not in its types. */
interface Internals {
  connection: Wire;
  _ended: boolean;
  _getActiveQuery(): object | null;
}

/** What `pg` does with the messages of authentication; its type does not say. */
type Answers = Record<
  '_handleAuthCleartextPassword' | '_handleAuthMD5Password' | '_handleAuthSASL' | '_handleAuthSASLFinal',
  (message: { readonly mechanisms?: readonly string[] }) => void
>;
const ANSWERS = pg.Client.prototype as unknown as Answers;

/** What each client has as an event emitter: it keeps that when it starts anew. */
const OF_EMITTER = Reflect.ownKeys(new EventEmitter());

/**
 * A client that tries the hosts of its address in turn, and each encrypted and in plain text as the address demands, until one is
 * as demanded. `pg` knows one host and one mode, so the client becomes a new one of `pg`'s for each attempt.
 *
 * Neither an error nor what the server sends reaches beyond its connection.
 */
export class DatabaseClient extends pg.Client {
  readonly #configuration: ConnectionConfiguration & Settings;
  #state: 'new' | 'connecting' | 'open' | 'ended' = 'new';
  #way: Way | undefined;
  #isEncrypted = false;
  #asked: Method = 'none';
  #isProved = false;

  constructor(configuration: ConnectionConfiguration & Settings) {
    super({ ssl: false, sslnegotiation: 'postgres' } as pg.ClientConfig);
    this.#configuration = configuration;
    // An error of an idle connection is reported by its next query; without a listener it would end the process.
    this.on('error', () => {});
  }

  /** @throws EngineError for an address that can never be right; otherwise what `pg` reports, of several hosts HostsFailedError */
  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected;
    connected.then(() => (callback as () => void)(), callback);
    return undefined;
  }

  async #connect(): Promise<this> {
    const ways = waysTo(this.#configuration);
    this.#state = 'connecting';
    const failures: unknown[] = [];
    for (const way of ways) {
      const failure = await this.#try(way);
      if (failure === undefined) return this;
      failures.push(failure.error);
      if (!isHostAway(failure.error)) break;
    }
    throw failures.length === 1 ? failures[0] : new HostsFailedError(failures);
  }

  /** @returns the last error, unless it is connected */
  async #try(way: Way): Promise<{ readonly error: unknown } | undefined> {
    let failure: unknown;
    for (const ssl of way.ssl) {
      if (this.#hasEnded()) return { error: new Error('Connection terminated') };
      this.#begin(way, ssl);
      try {
        await super.connect();
        await this.#requireSession(way.session);
        if (!this.#hasEnded()) this.#state = 'open';
        return undefined;
      } catch (error) {
        this.#abandon();
        failure = error;
        setPlace(error, way.place);
        if (!isAboutEncryption(error)) break;
      }
    }
    return { error: failure };
  }

  #hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Becomes a new client of `pg`. */
  #begin(way: Way, ssl: Way['ssl'][number]): void {
    const { application_name, keepAlive, keepAliveInitialDelayMillis, connectionTimeoutMillis, pipeline } =
      this.#configuration;
    const fresh = new pg.Client({
      application_name,
      keepAlive,
      keepAliveInitialDelayMillis,
      connectionTimeoutMillis: connectionTimeoutMillis ?? CONNECT_TIMEOUT,
      pipeline,
      ...way.client,
      ssl,
      // Only a server that shows a certificate can bind anything to it.
      enableChannelBinding: ssl !== false && way.authentication.channelBinding !== 'disable',
    } as pg.ClientConfig);
    const properties = Object.getOwnPropertyDescriptors(fresh);
    for (const key of OF_EMITTER) Reflect.deleteProperty(properties, key);
    Object.defineProperties(this, properties);
    this.#way = way;
    this.#isEncrypted = ssl !== false;
    this.#asked = 'none';
    this.#isProved = false;
    const { connection } = this.#internals;
    connection.prependListener('authenticationOk', () => this.#authenticated());
    guardEvents(connection.stream);
    const attach = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      // TLS replaces the stream.
      if (!Object.hasOwn(stream, 'emit')) guardEvents(stream as Duplex);
      attach(inWholeMessages(stream, (message) => this.#takeRow(message)));
    };
  }

  /** What the connection still reports is of no interest. */
  #abandon(): void {
    const { connection } = this.#internals;
    connection.removeAllListeners();
    connection.on('error', () => {});
    connection.stream.on('error', () => {});
    connection.stream.destroy();
    this.#internals._ended = true;
  }

  /** Queries that read rows themselves get long ones as bytes. @returns whether the running one does */
  #takeRow(message: Buffer): boolean {
    const query = this.#internals._getActiveQuery();
    if (!(query instanceof TextQuery)) return false;
    query.handleLongRow(message);
    return true;
  }

  get #internals(): Internals {
    return this as unknown as Internals;
  }

  /** @throws Error if the server is not of the kind */
  async #requireSession(kind: SessionKind): Promise<void> {
    if (kind === 'any') return;
    const { rows } = await this.query<{ standby: boolean; locked: boolean }>(
      `select pg_catalog.pg_is_in_recovery() as standby,
        pg_catalog.current_setting('default_transaction_read_only')::pg_catalog.bool as locked`,
    );
    const { standby, locked } = rows[0]!;
    const isReadOnly = standby || locked;
    const fits = { 'read-write': !isReadOnly, 'read-only': isReadOnly, primary: !standby, standby }[kind];
    if (!fits) throw new WrongSessionError(kind);
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.#state = 'ended';
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    // While there are other ways to try, that one failed is nobody's business.
    if (this.#state === 'connecting' && (event === 'end' || event === 'error')) return true;
    return super.emit(event as 'error', ...(values as [Error]));
  }

  /** Answers unless the address excludes the method: a refused server gets nothing that was made of the password. */
  #answer(method: Method, message: Parameters<Answers['_handleAuthSASL']>[0], answer: () => void): void {
    this.#asked = method;
    const isBound = this.#isEncrypted && message.mechanisms?.includes('SCRAM-SHA-256-PLUS') === true;
    if (!this.#refuse(refusal(this.#way!.authentication, method, isBound))) answer();
  }

  #refuse(reason: string | undefined): boolean {
    if (reason === undefined) return false;
    const { connection } = this.#internals;
    const error = new EngineError('connection-not-established', reason);
    connection.emit('error', error);
    connection.stream.destroy();
    return true;
  }

  #authenticated(): void {
    if (this.#asked === 'none') this.#refuse(refusal(this.#way!.authentication, 'none', false));
    else if (this.#asked === 'scram-sha-256' && !this.#isProved)
      this.#refuse('the server ended the authentication without the proof that it knows the password');
  }

  protected _handleAuthCleartextPassword(message: object): void {
    this.#answer('password', message, () => ANSWERS._handleAuthCleartextPassword.call(this, message));
  }

  protected _handleAuthMD5Password(message: object): void {
    this.#answer('md5', message, () => ANSWERS._handleAuthMD5Password.call(this, message));
  }

  protected _handleAuthSASL(message: object): void {
    this.#answer('scram-sha-256', message, () => ANSWERS._handleAuthSASL.call(this, message));
  }

  protected _handleAuthSASLFinal(message: object): void {
    this.#isProved = true;
    ANSWERS._handleAuthSASLFinal.call(this, message);
  }
}

/** The server is another one than the address asks for. */
class WrongSessionError extends Error {
  readonly code = 'EWRONGSESSION';

  constructor(kind: SessionKind) {
    super(`the server is not what target_session_attrs=${kind} asks for`);
  }
}

/** Has an exception in any handler of the stream's events close the stream: its queries fail with that error. */
function guardEvents(stream: Duplex): void {
  const emit = stream.emit.bind(stream) as (...event: unknown[]) => boolean;
  stream.emit = (...event: unknown[]) => {
    try {
      return emit(...event);
    } catch (error) {
      stream.destroy(error as Error);
      return true;
    }
  };
}

/** The stream as `pg` listens to it: its bytes come in pieces that end where messages end. */
function inWholeMessages(stream: Listened, takeRow: (message: Buffer) => boolean): Listened {
  const on = (event: string, listener: Parameters<Listened['on']>[1]) =>
    stream.on(event, event === 'data' ? wholeMessages(listener, takeRow) : listener);
  return { on };
}
