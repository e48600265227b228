/**
 * Applies migrations to a database of their own. Statements between the rows of a dump are sent as one message: six thousand of
 * them take a second of this process. A failed message is applied again statement by statement, so that the failure has a place.
 * What a server would have had before the first migration is made when a statement's error names it (missing.ts).
 */
import pg from 'pg';
import type { MigrationFile } from './migrations.ts';
import { type Remedy, remedyFor, type Supplies } from './missing.ts';
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

/** Statements of a file that has transactions of its own. A message of several statements would be another one. */
const ENDS_TRANSACTION = /^(begin|start|commit|end|rollback|abort|prepare\s+transaction)\b/i;
/**
 * A statement that wants no transaction around it (`create index concurrently`, COMMIT in a procedure), or an enum's value that is
 * used in the transaction that added it.
 */
const WANTS_NO_TRANSACTION = new Set(['25001', '2D000', '55P04']);

/** How the statements of a file are sent: in one transaction and few messages, in one transaction, or as psql does. */
type Form = 'joined' | 'single' | 'separate';

/**
 * Applies the files in order, each in a session of its own and, unless it has or wants none, in one transaction.
 * Returns what failed first, or undefined.
 */
export async function applyMigrations(
  url: string,
  files: readonly MigrationFile[],
  supplies: Supplies = {},
): Promise<MigrationFailure | undefined> {
  for (const file of files) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      await prepareSession(client, supplies);
      const failure = await applyFile(client, file, { ...supplies, url, path: file.path });
      if (failure) return failure;
    } finally {
      await client.end();
    }
  }
  return undefined;
}

/** Errors are read, so they have to be in English; a server that the operator names may speak another language. */
async function prepareSession(client: pg.Client, { stubs }: Supplies): Promise<void> {
  await client.query(`select pg_catalog.set_config('lc_messages', 'C', false)
    from pg_catalog.pg_roles where rolname = current_user and rolsuper`);
  if (stubs) await client.query(`set extension_control_path = ${pg.escapeLiteral(stubs.searchPath)}`);
}

async function applyFile(
  client: pg.Client,
  file: MigrationFile,
  supplies: Parameters<typeof remedyFor>[2],
): Promise<MigrationFailure | undefined> {
  const pieces = splitFile(file.text);
  let form: Form = pieces.some(({ text }) => ENDS_TRANSACTION.test(text)) ? 'separate' : 'joined';
  const supplied = new Set<string>();
  for (;;) {
    const steps = form === 'joined' ? joined(pieces, file.text) : [...pieces];
    const failed = await runSteps(client, form === 'separate' ? steps : inTransaction(steps), (error, step) =>
      remedyFor(error, form === 'joined' ? undefined : step, supplies, supplied),
    );
    if (!failed) return undefined;
    if (form === 'separate') return failureOf(file, failed.step, failed.error);
    if (WANTS_NO_TRANSACTION.has(failed.error.code ?? '')) form = 'separate';
    else if (form === 'joined') form = 'single';
    else return failureOf(file, failed.step, failed.error);
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

function inTransaction(steps: readonly SqlPiece[]): SqlPiece[] {
  const offset = steps.at(-1)?.offset ?? 0;
  return [
    { kind: 'statement', text: 'begin', offset: 0 },
    ...steps,
    { kind: 'statement', text: 'commit', offset },
  ];
}

/** Runs the steps; after a remedy from the first that is not committed. Returns what failed, rolled back. */
async function runSteps(
  client: pg.Client,
  steps: SqlPiece[],
  findRemedy: (error: pg.DatabaseError, step: SqlPiece) => Promise<Remedy | undefined>,
): Promise<{ step: SqlPiece; error: pg.DatabaseError } | undefined> {
  let committed = 0;
  for (let next = 0; next < steps.length; ) {
    const step = steps[next]!;
    const error = await errorOf(client, step);
    if (!error) {
      next += 1;
      if (client.getTransactionStatus() === 'I') committed = next;
      continue;
    }
    await client.query('rollback');
    const remedy = await findRemedy(error, step);
    if (!remedy) return { step, error };
    if (remedy !== 'supplied')
      steps.splice(next, 1, ...(typeof remedy === 'object' ? [{ ...step, ...remedy }] : []));
    next = committed;
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
  error.hint = PSQL_ADVICE[command] ?? 'Put the SQL itself into the file.';
  return error;
}

const ONE_DATABASE =
  'Each source has one database: remove what makes or chooses another (pg_dump without --create).';
const PSQL_ADVICE: Readonly<Record<string, string>> = {
  '\\c': ONE_DATABASE,
  '\\connect': ONE_DATABASE,
  '\\copy': 'Put the rows into the file, behind COPY … FROM stdin.',
  '\\gexec': 'Put the statements that it makes into the file, or a DO block.',
};

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

function failureOf(file: MigrationFile, piece: SqlPiece, refused: pg.DatabaseError): MigrationFailure {
  // Positions are the statement's own; without one it is the statement as a whole.
  const within = refused.position === undefined ? 0 : offsetOfPosition(piece.text, Number(refused.position));
  // No SQL has a backslash outside of quotes: it begins a command of psql behind a statement.
  const command = /^syntax error at or near "\\"/.test(refused.message)
    ? /^\\\S+/.exec(piece.text.slice(within))?.[0]
    : undefined;
  const error = command === undefined ? refused : psqlCommand(command);
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
