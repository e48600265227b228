/** Applies migrations to a database of their own, statement by statement, so that a failure has a place. */
import pg from 'pg';
import { PipelinedQuery } from '../../runtime/database/text-query.ts';
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

/** Statements that are sent before the answer to the first of them is there: six thousand round trips take seconds. */
const SENT_AT_ONCE = 100;

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
    const client = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig);
    client.on('error', () => {});
    await client.connect();
    try {
      const failure = await applyFile(client, file, true);
      if (failure) return failure;
    } finally {
      await client.end();
    }
  }
  return undefined;
}

async function applyFile(
  client: pg.Client,
  file: MigrationFile,
  transaction: boolean,
): Promise<MigrationFailure | undefined> {
  let pieces: readonly SqlPiece[] = splitFile(file.text);
  for (;;) {
    if (transaction) await client.query('begin');
    const failed = await runPieces(client, pieces, transaction ? SENT_AT_ONCE : 1);
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
    } else if (transaction && error.code === IN_TRANSACTION) {
      // Statements such as `create index concurrently` cannot run in a transaction.
      return applyFile(client, file, false);
    } else {
      return failureOf(file, piece, error);
    }
  }
}

/** @param atOnce more than one only within a transaction, where nothing runs after a failure */
async function runPieces(
  client: pg.Client,
  pieces: readonly SqlPiece[],
  atOnce: number,
): Promise<{ piece: SqlPiece; error: pg.DatabaseError } | undefined> {
  for (let start = 0, end = 0; start < pieces.length; start = end) {
    end = start + 1;
    // Rows follow their statement, so nothing may be sent between them.
    if (pieces[start]!.kind !== 'copy')
      while (end < pieces.length && end - start < atOnce && pieces[end]!.kind !== 'copy') end += 1;
    const sent = pieces.slice(start, end);
    const errors = await Promise.all(sent.map((piece) => errorOf(client, piece)));
    const failed = errors.findIndex((error) => error !== undefined);
    if (failed >= 0) return { piece: sent[failed]!, error: errors[failed]! };
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

class CopyQuery extends PipelinedQuery {
  readonly text: string;
  readonly #data: string;
  readonly #settle: (error?: Error) => void;

  constructor(text: string, data: string, settle: (error?: Error) => void) {
    super();
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
