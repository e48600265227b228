/**
 * The leanest query that `pg` will run on a pipelined connection: it writes Bind, Execute and Sync (Parse before them
 * when the statement is new there), parses nothing, and hands on the text fields of the one row. With its own Sync it
 * stands or falls alone: an error leaves the queries before and behind it on the connection untouched. Commands that
 * begin or end a transaction can travel with it: after the first one that fails Postgres skips the others.
 */
import pg from 'pg';

/** The one row of a statement, every column as Postgres prints it; empty if it yields none. */
export type TextRow = readonly (string | null)[];

/** What a connection has to do before the statement can be bound there. */
export interface Preparation {
  /** Name on the server; empty for the unnamed statement. */
  readonly name: string;
  /** The statement is new to the connection. */
  readonly parse: boolean;
  /** Names of statements to be closed first. */
  readonly close: readonly string[];
}

interface Connection {
  readonly stream: {
    cork(): void;
    uncork(): void;
    write(data: Uint8Array): boolean;
    readonly writable: boolean;
  };
  close(message: { type: 'S'; name: string }): void;
  parse(message: { name: string; text: string; types: readonly number[] }): void;
}

/** Execute of the unnamed portal without a limit of rows. */
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0]);
const SYNC = Buffer.from([0x53, 0, 0, 0, 4]);
const EXECUTE_AND_SYNC = Buffer.concat([EXECUTE, SYNC]);

/** A command without parameters and result as bytes: Parse, Bind and Execute of the unnamed statement. */
export function commandBytes(text: string): Buffer {
  const parse = Buffer.from(`P\0\0\0\0\0${text}\0\0\0`);
  parse.writeInt32BE(parse.length - 1, 1);
  const bind = Buffer.from([0x42, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([parse, bind, EXECUTE]);
}

/** What is sent with a statement. */
export interface Surroundings {
  /** Commands (see commandBytes). */
  readonly before?: Uint8Array;
  readonly after?: Uint8Array;
  /** A statement without parameters that goes first, and its one row unread. */
  readonly first?: { readonly text: string; readonly preparation: Preparation };
}

const NO_TYPES: readonly number[] = [];
const NO_ROW: TextRow = [];

// `pg` refuses custom classes on pipelined connections, because a cursor keeps its portal open over several round
// trips. This one does not, and says so by being a Query. The constructor of Query (parsing of its arguments, event
// emitter, result) is passed by: nothing of what it makes is used.
export class PipelinedQuery {}
Object.setPrototypeOf(
  PipelinedQuery.prototype,
  (pg as unknown as { Query: { prototype: object } }).Query.prototype,
);

/**
 * One execution; `settle` is called once, with the row or with the error, when the connection is done with it. With both,
 * the statement went well and what came after it, the end of its transaction, did not.
 */
export class TextQuery extends PipelinedQuery {
  readonly text: string;
  readonly #preparation: Preparation;
  readonly #values: TextRow;
  readonly #settle: (error: Error | undefined, row: TextRow | undefined) => void;
  readonly #surroundings: Surroundings | undefined;
  #row: TextRow | undefined;
  #rowsToSkip: number;

  constructor(
    text: string,
    values: TextRow,
    preparation: Preparation,
    settle: (error: Error | undefined, row: TextRow | undefined) => void,
    surroundings?: Surroundings,
  ) {
    super();
    this.text = text;
    this.#values = values;
    this.#preparation = preparation;
    this.#settle = settle;
    this.#surroundings = surroundings;
    this.#rowsToSkip = surroundings?.first ? 1 : 0;
  }

  submit(connection: Connection): Error | null {
    const { stream } = connection;
    if (!stream.writable) return new Error('Connection terminated unexpectedly');
    const { before, first, after } = this.#surroundings ?? {};
    stream.cork();
    if (before) stream.write(before);
    if (first) {
      prepare(connection, first.text, first.preparation);
      stream.write(bindAndThen(first.preparation.name, [], EXECUTE));
    }
    prepare(connection, this.text, this.#preparation);
    const end = after ? Buffer.concat([EXECUTE, after, SYNC]) : EXECUTE_AND_SYNC;
    stream.write(bindAndThen(this.#preparation.name, this.#values, end));
    stream.uncork();
    return null;
  }

  handleDataRow(message: { readonly fields: TextRow }): void {
    if (this.#rowsToSkip > 0) this.#rowsToSkip -= 1;
    else this.#row = message.fields;
  }

  handleReadyForQuery(): void {
    this.#settle(undefined, this.#row ?? NO_ROW);
  }

  handleError(error: Error): void {
    this.#settle(error, this.#row);
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

function prepare(connection: Connection, text: string, { name, parse, close }: Preparation): void {
  for (const old of close) connection.close({ type: 'S', name: old });
  if (parse) connection.parse({ name, text, types: NO_TYPES });
}

/** Bind of text parameters to the unnamed portal, all results as text, and the messages after it: one buffer. */
function bindAndThen(name: string, values: TextRow, then: Buffer): Buffer {
  const nameLength = Buffer.byteLength(name);
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  // Code, length, empty portal, name and its end, no parameter formats, count, parameters, no result formats.
  let length = 5 + 1 + nameLength + 1 + 2 + 2 + 2;
  for (const size of lengths) length += 4 + Math.max(size, 0);
  const buffer = Buffer.allocUnsafe(length + then.length);
  buffer[0] = 0x42;
  buffer.writeInt32BE(length - 1, 1);
  buffer[5] = 0;
  let offset = 6 + buffer.write(name, 6);
  buffer[offset++] = 0;
  offset = buffer.writeUInt16BE(0, offset);
  offset = buffer.writeUInt16BE(values.length, offset);
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    offset = buffer.writeInt32BE(lengths[index]!, offset);
    if (value !== null) offset += buffer.write(value, offset);
  }
  offset = buffer.writeUInt16BE(0, offset);
  buffer.set(then, offset);
  return buffer;
}
