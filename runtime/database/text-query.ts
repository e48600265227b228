/**
 * The leanest query that `pg` will run on a pipelined connection: it writes Bind and Execute for each of its statements
 * (Parse before them when the statement is new there) and one Sync, parses nothing, and hands on the text fields of the one
 * row of each. With its own Sync it succeeds or fails alone: an error leaves the queries before and behind it on the
 * connection untouched. Without a transaction around it its statements are one; after the first one that fails Postgres
 * skips the others. Commands that begin or end a transaction can travel with it.
 */
import { isUtf8 } from 'node:buffer';
import pg from 'pg';

/** The single row of a statement, each column as Postgres prints it; empty if it returned no row. */
export type TextRow = readonly (string | null)[];

/** The same of a read: a long text is the bytes that Postgres sent, in UTF-8, which often are sent on without a change. */
export type ReadRow = readonly (string | Buffer | null)[];

/** Bytes of a text above which it stays bytes: V8 maps and frees memory of its own for each longer text; shorter ones gain nothing. */
const LONG = 2 ** 17;

/** The texts of a row. */
export function columnTexts(row: ReadRow): TextRow {
  return row.map((value) => (value === null ? null : columnText(value)));
}

export function columnText(value: string | Buffer): string {
  return typeof value === 'string' ? value : value.toString();
}

/** Messages that the connection sends before it can bind the statement. */
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

/** A statement as it is sent. */
export interface PreparedQuery {
  readonly text: string;
  readonly values: TextRow;
  readonly preparation: Preparation;
}

/** A command without parameters and result as bytes: Parse, Bind and Execute of the unnamed statement. */
export function commandBytes(text: string): Buffer {
  const parse = Buffer.from(`P\0\0\0\0\0${text}\0\0\0`);
  parse.writeInt32BE(parse.length - 1, 1);
  const bind = Buffer.from([0x42, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([parse, bind, EXECUTE]);
}

/** Commands (see commandBytes) that are sent with statements. */
export interface CommandsAround {
  readonly before: readonly Buffer[];
  readonly after?: Buffer;
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
 * One execution of one or more statements; `settle` is called once, when the connection is done with it, with a row for each
 * statement that went well. With an error and as many rows as statements, what came after them, the end of their
 * transaction, went wrong.
 */
export class TextQuery extends PipelinedQuery {
  /** `pg` wants to see a text. */
  readonly text: string;
  readonly #statements: readonly PreparedQuery[];
  readonly #settle: (error: Error | undefined, rows: readonly ReadRow[]) => void;
  readonly #around: CommandsAround | undefined;
  readonly #rows: ReadRow[] = [];
  #row: ReadRow = NO_ROW;
  /** Commands before the statements that have not ended yet. */
  #begins: number;

  constructor(
    statements: readonly PreparedQuery[],
    settle: (error: Error | undefined, rows: readonly ReadRow[]) => void,
    around?: CommandsAround,
  ) {
    super();
    this.text = statements[0]!.text;
    this.#statements = statements;
    this.#settle = settle;
    this.#around = around;
    this.#begins = around?.before.length ?? 0;
  }

  submit(connection: Connection): Error | null {
    const { stream } = connection;
    if (!stream.writable) return new Error('Connection terminated unexpectedly');
    const { before = [], after } = this.#around ?? {};
    const end = after ? Buffer.concat([EXECUTE, after, SYNC]) : EXECUTE_AND_SYNC;
    stream.cork();
    for (const command of before) stream.write(command);
    this.#statements.forEach(({ text, values, preparation }, index) => {
      prepare(connection, text, preparation);
      const isLast = index === this.#statements.length - 1;
      stream.write(bindAndThen(preparation.name, values, isLast ? end : EXECUTE));
    });
    stream.uncork();
    return null;
  }

  handleDataRow(message: { readonly fields: TextRow }): void {
    this.#row = message.fields;
  }

  /** As `handleDataRow`, of a row that took several pieces to arrive. @param message the whole message */
  handleLongRow(message: Buffer): void {
    this.#row = readRow(message);
  }

  handleCommandComplete(): void {
    if (this.#begins > 0) this.#begins -= 1;
    else if (this.#rows.length < this.#statements.length) this.#rows.push(this.#row);
    this.#row = NO_ROW;
  }

  handleReadyForQuery(): void {
    this.#settle(undefined, this.#rows);
  }

  handleError(error: Error): void {
    this.#settle(error, this.#rows);
  }

  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
}

/** Code, length and count of columns, and then of each column its length, -1 for null, and its bytes. */
function readRow(message: Buffer): ReadRow {
  let offset = 7;
  return Array.from({ length: message.readUInt16BE(5) }, () => {
    const length = message.readInt32BE(offset);
    offset += 4;
    if (length < 0) return null;
    const value = message.subarray(offset, offset + length);
    offset += length;
    // A database without an encoding sends any bytes; as a text they are replaced, whatever their length.
    return length > LONG && isUtf8(value) ? value : value.toString();
  });
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
