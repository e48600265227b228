/** `engine adopt check`: what another engine of the API family left in a database. */
import pg from 'pg';
import { DatabaseClient } from '../../runtime/database/client.ts';
import { describeConnectionError } from '../../runtime/database/connection-error.ts';
import { findLeftovers, type Leftovers } from '../review/adopt/leftovers.ts';
import { isSettled, leftoversText, settlingSql } from '../review/adopt/settle.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface AdoptOptions {
  readonly databaseUrl?: string;
  readonly format: 'text' | 'json' | 'sql';
}

/** Returns the exit status: 1 if something has to be settled. @throws UsageError */
export async function adoptCheckCommand(
  url: string | undefined,
  { databaseUrl, format }: AdoptOptions,
  context: CommandContext,
): Promise<number> {
  const address = url ?? databaseUrl ?? context.environment[context.vocabulary.environment('DATABASE_URL')];
  if (address === undefined)
    throw new UsageError(
      `Which database? Give its URL, --database-url or ${context.vocabulary.environment('DATABASE_URL')}.`,
    );
  const client = await connect(address);
  let lost = false;
  // A connection that breaks fails the statement; without a listener it would end the program.
  client.on('error', () => {
    lost = true;
  });
  try {
    await client.query('set default_transaction_read_only = on');
    const found = await findLeftovers(client, context.vocabulary);
    context.stdout(
      {
        text: leftoversText,
        sql: (all: Leftovers) => settlingSql(all, context.vocabulary),
        json: (all: object) => `${JSON.stringify(all, null, 2)}\n`,
      }[format](found),
    );
    return isSettled(found) ? 0 : 1;
  } catch (error) {
    // Any other is a defect of this program.
    if (lost || error instanceof pg.DatabaseError) throw unreadable(error);
    throw error;
  } finally {
    await client.end();
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  try {
    const client = new DatabaseClient({ connectionString, application_name: 'engine adopt' });
    await client.connect();
    return client;
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): UsageError {
  return new UsageError(`The database cannot be read: ${describeConnectionError(error)}`);
}
