/** Applies migrations to a database of their own, statement by statement, so that a failure has a place. */
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
    const failed = await runPieces(client, pieces);
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

async function runPieces(
  client: pg.Client,
  pieces: readonly SqlPiece[],
): Promise<{ piece: SqlPiece; error: pg.DatabaseError } | undefined> {
  for (const piece of pieces) {
    try {
      if (piece.kind === 'psql') throw psqlCommand(piece.text);
      if (piece.kind === 'copy') await copyRows(client, piece.text, piece.data);
      else await client.query(piece.text);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      return { piece, error };
    }
  }
  return undefined;
}

function psqlCommand(text: string): pg.DatabaseError {
  const [command = ''] = text.split(/\s/);
  const error = new pg.DatabaseError(`${command} is a command of psql, not SQL`, 0, 'error');
  error.hint = 'Put the SQL itself into the file.';
  return error;
}

/** Sends the rows of a dump unchanged. */
function copyRows(client: pg.Client, text: string, data: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = {
      submit: (connection: { query(text: string): void }) => connection.query(text),
      handleCopyInResponse: (connection: { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }) => {
        connection.sendCopyFromChunk(Buffer.from(data));
        connection.endCopyFrom();
      },
      handleCommandComplete: () => {},
      handleRowDescription: () => {},
      handleEmptyQuery: () => {},
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    };
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
