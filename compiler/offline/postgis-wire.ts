/**
 * Serves databases that have one session each (PGlite) over the PostgreSQL protocol to any number of connections. The
 * connections of a database take turns: a turn lasts from a connection's first message until the session is idle again, so
 * a transaction is never interleaved with the statements of others. Names of prepared statements get the connection's number,
 * because the session is shared; settings made with SET are shared, and reset when the last connection ends.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';

/** A database with one session. */
export interface SessionDatabase {
  readonly turns: SessionTurns;
  /** Answers messages of the extended or simple protocol. */
  exchange(messages: Uint8Array): Promise<Uint8Array>;
  /** Runs a COPY … FROM STDIN. @throws Error with the fields of the database's error */
  copy(statement: string, rows: Uint8Array): Promise<void>;
  /** Ends a connection's use of it. */
  release(): void;
}

export interface WireOptions {
  readonly password: string;
  /** Finds the database of a name; what it returns opens it. @throws Error whose message is reported to the client */
  readonly find: (name: string) => () => Promise<SessionDatabase>;
  /** Runs a statement on databases themselves; undefined if it is an ordinary statement. Returns the command's tag. */
  readonly command: (sql: string, database: string) => (() => Promise<string>) | undefined;
}

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;
const CANCEL_REQUEST = 80877102;
const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);
const COPY_FROM_STDIN = /^\s*copy\b[^;]*?\bfrom\s+stdin\b/i;

/** Turns of the connections of one database. */
export class SessionTurns {
  #last: Promise<void> = Promise.resolve();
  connections = 0;

  /** Waits for the turn. Returns the function that ends it. */
  async take(): Promise<() => void> {
    const former = this.#last;
    let end!: () => void;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await former;
    return end;
  }
}

/**
 * Serves a connection until it ends.
 * @param number of the connection; those of a database have different ones
 */
export async function serveConnection(socket: Socket, number: number, options: WireOptions): Promise<void> {
  let end: (() => void) | undefined;
  let database: SessionDatabase | undefined;
  try {
    const messages = readMessages(socket);
    const name = await startUp(messages, socket, options.password);
    if (name === undefined) return;
    const open = options.find(name);
    // Before it is open: that takes seconds, and a client waits only so long for a connection.
    socket.write(greeting(number));
    database = await open();
    const queue = database.turns;
    queue.connections += 1;
    let batch: Buffer[] = [];
    for await (const message of messages) {
      const type = String.fromCharCode(message[0]!);
      if (type === 'X') break;
      const command = type === 'Q' && end === undefined ? options.command(textOf(message), name) : undefined;
      if (command) {
        socket.write(Buffer.concat([completed(await command()), ready()]));
        continue;
      }
      if (type === 'Q' && COPY_FROM_STDIN.test(textOf(message))) {
        end ??= await queue.take();
        const answer = await copyRows(database, textOf(message), messages, socket);
        const state = await database.exchange(query(''));
        socket.write(Buffer.concat([answer, ready(stateOf(state))]));
        if (isIdle(state)) {
          end();
          end = undefined;
        }
        continue;
      }
      batch.push(ownNames(message, number));
      if (!['Q', 'S', 'H'].includes(type)) continue;
      end ??= await queue.take();
      const answer = readyOnce(await database.exchange(Buffer.concat(batch)));
      batch = [];
      socket.write(answer);
      if (isIdle(answer)) {
        end();
        end = undefined;
      }
    }
  } catch (error) {
    socket.write(errorResponse(error));
  } finally {
    socket.end();
    if (database) await leave(database, end);
  }
}

/** Rolls back what the connection left open; the last connection's settings do not reach the next. */
async function leave(database: SessionDatabase, end: (() => void) | undefined): Promise<void> {
  const queue = database.turns;
  queue.connections -= 1;
  const finish = end ?? (await queue.take());
  try {
    if (end) await database.exchange(Buffer.concat([frame('S'), query('rollback')]));
    if (queue.connections === 0) await database.exchange(query('discard all'));
  } catch {
    // The database was closed in the meantime.
  } finally {
    finish();
    database.release();
  }
}

/** True if the session waits for a statement outside a transaction. */
function isIdle(answer: Uint8Array): boolean {
  return stateOf(answer) === IDLE;
}

/** The state of the transaction after an answer; 0 if more messages are awaited. */
function stateOf(answer: Uint8Array): number {
  const view = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  let state = 0;
  for (let at = 0; at < view.length; at += 1 + view.readInt32BE(at + 1))
    if (view[at] === READY) state = view[at + 5]!;
  return state;
}

/** The answer with one ReadyForQuery, at its end: after an error, the session sends two for one Sync. */
function readyOnce(answer: Uint8Array): Uint8Array {
  const view = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
  const kept: Buffer[] = [];
  let last: Buffer | undefined;
  for (let at = 0; at < view.length; ) {
    const message = view.subarray(at, at + 1 + view.readInt32BE(at + 1));
    if (message[0] === READY) last = message;
    else kept.push(message);
    at += message.length;
  }
  return last ? Buffer.concat([...kept, last]) : answer;
}

/** Collects the rows that the client sends, because the session cannot wait for them. Returns the answer but its end. */
async function copyRows(
  database: SessionDatabase,
  statement: string,
  messages: AsyncIterator<Buffer>,
  socket: Socket,
): Promise<Buffer> {
  socket.write(frame('G', Buffer.from([0, 0, 0])));
  const rows: Buffer[] = [];
  for (;;) {
    const { value: message, done } = await messages.next();
    if (done) throw new Error('the connection ended within COPY');
    const type = String.fromCharCode(message[0]!);
    if (type === 'd') rows.push(message.subarray(5));
    else if (type === 'c') break;
    else if (type === 'f') return errorResponse({ code: '57014', message: textOf(message) }, 'ERROR');
  }
  try {
    await database.copy(
      statement.replace(COPY_FROM_STDIN, (start) => start.replace(/stdin$/i, "'/dev/blob'")),
      Buffer.concat(rows),
    );
    return completed('COPY 0');
  } catch (error) {
    return errorResponse(error, 'ERROR');
  }
}

/** The message with the connection's own name of a prepared statement. */
function ownNames(message: Buffer, number: number): Buffer {
  const type = String.fromCharCode(message[0]!);
  const own = (start: number): Buffer => {
    if (message[start] === 0) return message;
    const body = [message.subarray(5, start), Buffer.from(`c${number}_`), message.subarray(start)];
    return frame(type, Buffer.concat(body));
  };
  if (type === 'P') return own(5);
  if (type === 'B') return own(message.indexOf(0, 5) + 1);
  const ofStatement = (type === 'D' || type === 'C') && message[5] === 'S'.charCodeAt(0);
  return ofStatement ? own(6) : message;
}

/** The name of the database, once the password is right; undefined if the connection wants something else. */
async function startUp(
  messages: AsyncIterator<Buffer>,
  socket: Socket,
  password: string,
): Promise<string | undefined> {
  for (;;) {
    const { value: message, done } = await messages.next();
    if (done) return undefined;
    const code = message.readInt32BE(4);
    if (code === CANCEL_REQUEST) return undefined;
    if (code === SSL_REQUEST || code === GSS_REQUEST) {
      socket.write('N');
      continue;
    }
    const words = message.toString('utf8', 8).split('\0');
    const settings = new Map(
      words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])) as [
        string,
        string,
      ][],
    );
    socket.write(frame('R', int32(3)));
    const given = await messages.next();
    if (given.done) return undefined;
    const [right, sent] = [Buffer.from(password), Buffer.from(textOf(given.value))];
    if (right.length !== sent.length || !timingSafeEqual(right, sent))
      throw Object.assign(new Error('password authentication failed'), { code: '28P01' });
    return settings.get('database') ?? settings.get('user') ?? '';
  }
}

/** Whole messages of a socket; those before the password have no type byte. */
async function* readMessages(socket: Socket): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  let typed = false;
  for await (const chunk of socket) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      const head = typed ? 1 : 0;
      if (rest.length < head + 4) break;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) break;
      const message = rest.subarray(0, length);
      if (!typed) typed = ![SSL_REQUEST, GSS_REQUEST, CANCEL_REQUEST].includes(message.readInt32BE(4));
      rest = rest.subarray(length);
      yield message;
    }
  }
}

function greeting(number: number): Buffer {
  const settings = {
    server_version: '18.3',
    server_encoding: 'UTF8',
    client_encoding: 'UTF8',
    DateStyle: 'ISO, MDY',
    TimeZone: 'UTC',
    integer_datetimes: 'on',
    standard_conforming_strings: 'on',
  };
  return Buffer.concat([
    frame('R', int32(0)),
    ...Object.entries(settings).map(([name, value]) =>
      frame('S', Buffer.concat([zeroEnded(name), zeroEnded(value)])),
    ),
    frame('K', Buffer.concat([int32(number), int32(0)])),
    ready(),
  ]);
}

function errorResponse(error: unknown, severity: 'ERROR' | 'FATAL' = 'FATAL'): Buffer {
  const { code = 'XX000', message } = error as Error & { code?: string };
  const fields = [`S${severity}`, `V${severity}`, `C${code}`, `M${message}`].map(zeroEnded);
  return frame('E', Buffer.concat([...fields, Buffer.from([0])]));
}

/** The text that is all of a message. */
function textOf(message: Buffer): string {
  return message.toString('utf8', 5, message.length - 1);
}

function query(text: string): Buffer {
  return frame('Q', zeroEnded(text));
}

/** A statement's end. @param tag the command's, such as `SELECT 0` */
export function completed(tag: string): Buffer {
  return frame('C', zeroEnded(tag));
}

/** The session waits for a statement. */
export function ready(state = IDLE): Buffer {
  return frame('Z', Buffer.from([state]));
}

function frame(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function zeroEnded(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
