/**
 * Applies migrations to a database of their own. What lies between the rows of a dump is one message: six thousand of them take a
 * second of this process. What fails is applied again statement by statement, so that the failure has a place.
 */
import pg from 'pg';
import type { MigrationFile } from './migrations.ts';
import { lineAndColumn, offsetOfPosition, type SqlPiece, splitFile } from './sql-file.ts';

/** A statement that the database refused. */
export interface MigrationFailure {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The database's error. */
  readonly reason: string;
  /** The extension that the server lacks, if that is the reason. */
  readonly extension?: string;
  /** Its further words, and ours. */
  readonly advice?: string;
}

const UNDEFINED_OBJECT = '42704';
const IN_TRANSACTION = '25001';
/** Statements of a file that has transactions of its own. A message of several statements would be another one. */
const ENDS_TRANSACTION = /^(begin|start|commit|end|rollback|abort)\b/i;

/**
 * Applies the files in order, each in a transaction of its own. Roles that a file names and the cluster lacks are created:
 * they own and may things, and the catalog does not know them. Returns what failed first, or undefined.
 */
export async function applyMigrations(
  url: string,
  files: readonly MigrationFile[],
): Promise<MigrationFailure | undefined> {
  for (const file of files) {
    // A session a file: settings of one do not reach the next.
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      const failure = await applyFile(client, file);
      if (failure) return failure;
    } finally {
      await client.end();
    }
  }
  return undefined;
}

async function applyFile(client: pg.Client, file: MigrationFile): Promise<MigrationFailure | undefined> {
  let pieces: readonly SqlPiece[] = splitFile(file.text);
  const whole = pieces.some(({ text }) => ENDS_TRANSACTION.test(text)) ? pieces : joined(pieces, file.text);
  let form: 'whole' | 'pieces' | 'without transaction' = 'whole';
  for (;;) {
    const transaction = form !== 'without transaction';
    if (transaction) await client.query('begin');
    const failed = await runPieces(client, form === 'whole' ? whole : pieces);
    if (!failed) {
      if (transaction) await client.query('commit');
      return undefined;
    }
    if (transaction) await client.query('rollback');
    const { piece, error } = failed;
    const role = missingRole(error);
    if (role !== undefined) {
      await client.query(`create role ${pg.escapeIdentifier(role)}`);
      if (!transaction) pieces = pieces.slice(pieces.indexOf(piece));
    } else if (error.code === IN_TRANSACTION && transaction) {
      // Statements such as `create index concurrently` cannot run in a transaction.
      form = 'without transaction';
    } else if (form === 'whole') {
      form = 'pieces';
    } else {
      return failureOf(file, piece, error);
    }
  }
}

/** Neighbouring statements as one piece, with what is between them. */
function joined(pieces: readonly SqlPiece[], text: string): SqlPiece[] {
  const result: SqlPiece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece.kind !== 'statement' || last?.kind !== 'statement') result.push(piece);
    else {
      const end = piece.offset + piece.text.length;
      result[result.length - 1] = { ...last, text: text.slice(last.offset, end) };
    }
  }
  return result;
}

async function runPieces(
  client: pg.Client,
  pieces: readonly SqlPiece[],
): Promise<{ piece: SqlPiece; error: pg.DatabaseError } | undefined> {
  for (const piece of pieces) {
    const error = await errorOf(client, piece);
    if (error) return { piece, error };
  }
  return undefined;
}

/** The database's error about a piece. @throws as `pg` does when the connection is lost */
async function errorOf(client: pg.Client, piece: SqlPiece): Promise<pg.DatabaseError | undefined> {
  try {
    if (piece.kind === 'psql') throw psqlCommand(piece.text);
    if (piece.kind === 'copy') await copyRows(client, piece.text, piece.data);
    else await client.query(piece.text);
    return undefined;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  }
}

function psqlCommand(text: string): pg.DatabaseError {
  const [command = ''] = text.split(/\s/);
  const error = new pg.DatabaseError(`${command} is a command of psql, not SQL`, 0, 'error');
  error.hint = 'Put the SQL itself into the file.';
  return error;
}

class CopyQuery {
  readonly text: string;
  readonly #data: string;
  readonly #settle: (error?: Error) => void;

  constructor(text: string, data: string, settle: (error?: Error) => void) {
    this.text = text;
    this.#data = data;
    this.#settle = settle;
  }

  submit(connection: { query(text: string): void }): null {
    connection.query(this.text);
    return null;
  }

  handleCopyInResponse(connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }): void {
    connection.sendCopyFromChunk(Buffer.from(this.#data));
    connection.endCopyFrom();
  }

  handleReadyForQuery(): void {
    this.#settle();
  }

  handleError(error: Error): void {
    this.#settle(error);
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleEmptyQuery(): void {}
}

/** Sends the rows of a dump unchanged. */
function copyRows(client: pg.Client, text: string, data: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = new CopyQuery(text, data, (error) => (error ? reject(error) : resolve()));
    client.query(copy as unknown as pg.Submittable);
  });
}

function missingRole({ code, message }: pg.DatabaseError): string | undefined {
  return code === UNDEFINED_OBJECT ? /^role "(.+)" does not exist$/.exec(message)?.[1] : undefined;
}

function failureOf(file: MigrationFile, piece: SqlPiece, error: pg.DatabaseError): MigrationFailure {
  // Positions are the statement's own; without one it is the statement as a whole.
  const within = error.position === undefined ? 0 : offsetOfPosition(piece.text, Number(error.position));
  const advice = [error.detail, error.hint].filter((text) => text !== undefined);
  const extension = /^extension "(.+)" is not available$/.exec(error.message)?.[1];
  return {
    file: file.path,
    ...lineAndColumn(file.text, piece.offset + within),
    reason: error.message,
    ...(extension !== undefined && { extension }),
    ...(advice.length > 0 && { advice: advice.join('\n') }),
  };
}
