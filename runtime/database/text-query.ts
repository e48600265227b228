/**
 * The leanest query that `pg` will run on a pipelined connection: it writes Bind, Execute and Sync (Parse before them
 * when the statement is new there), parses nothing, and hands on the text fields of the one row. With its own Sync it
 * stands or falls alone: an error leaves the queries before and behind it on the connection untouched.
 */
import pg from 'pg';

/** One row, every column as Postgres prints it. */
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

/** A statement that must yield one row yielded none: a defect of whoever wrote it. */
export class NoRowError extends Error {
  constructor() {
    super('the statement returned no row');
  }
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

/** Execute of the unnamed portal without a limit of rows, then Sync. */
const EXECUTE_AND_SYNC = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);

const NO_TYPES: readonly number[] = [];

// `pg` refuses custom classes on pipelined connections, because a cursor keeps its portal open over several round
// trips. This one does not, and says so by being a Query. The constructor of Query (parsing of its arguments, event
// emitter, result) is passed by: nothing of what it makes is used.
export class PipelinedQuery {}
Object.setPrototypeOf(
  PipelinedQuery.prototype,
  (pg as unknown as { Query: { prototype: object } }).Query.prototype,
);

/** One execution; `settle` is called once, with the row or with the error, when the connection is done with it. */
export class TextQuery extends PipelinedQuery {
  readonly text: string;
  readonly #preparation: Preparation;
  readonly #values: TextRow;
  readonly #settle: (error: Error | undefined, row: TextRow | undefined) => void;
  #row: TextRow | undefined;

  constructor(
    text: string,
    values: TextRow,
    preparation: Preparation,
    settle: (error: Error | undefined, row: TextRow | undefined) => void,
  ) {
    super();
    this.text = text;
    this.#values = values;
    this.#preparation = preparation;
    this.#settle = settle;
  }

  submit(connection: Connection): Error | null {
    const { name, parse, close } = this.#preparation;
    const { stream } = connection;
    if (!stream.writable) return new Error('Connection terminated unexpectedly');
    if (!parse && close.length === 0) {
      stream.write(bindExecuteSync(name, this.#values));
      return null;
    }
    stream.cork();
    for (const old of close) connection.close({ type: 'S', name: old });
    if (parse) connection.parse({ name, text: this.text, types: NO_TYPES });
    stream.write(bindExecuteSync(name, this.#values));
    stream.uncork();
    return null;
  }

  handleDataRow(message: { readonly fields: TextRow }): void {
    this.#row = message.fields;
  }

  handleReadyForQuery(): void {
    if (this.#row) this.#settle(undefined, this.#row);
    else this.#settle(new NoRowError(), undefined);
  }

  handleError(error: Error): void {
    this.#settle(error, undefined);
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

/** Bind of text parameters to the unnamed portal, all results as text, followed by Execute and Sync: one buffer. */
function bindExecuteSync(name: string, values: TextRow): Buffer {
  const nameLength = Buffer.byteLength(name);
  const lengths = values.map((value) => (value === null ? -1 : Buffer.byteLength(value)));
  // Code, length, empty portal, name and its end, no parameter formats, count, parameters, no result formats.
  let length = 5 + 1 + nameLength + 1 + 2 + 2 + 2;
  for (const size of lengths) length += 4 + Math.max(size, 0);
  const buffer = Buffer.allocUnsafe(length + EXECUTE_AND_SYNC.length);
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
  buffer.set(EXECUTE_AND_SYNC, offset);
  return buffer;
}
