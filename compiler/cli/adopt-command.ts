/** `engine adopt check`: what another engine of the API family left in a database. */
import pg from 'pg';
import { describeConnectionError } from '../../runtime/metadata-api/connection-error.ts';
import { findLeftovers } from '../review/adopt/leftovers.ts';
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
  const address = url ?? databaseUrl ?? context.environment.ENGINE_GRAPHQL_DATABASE_URL;
  if (address === undefined)
    throw new UsageError('Which database? Give its URL, --database-url or ENGINE_GRAPHQL_DATABASE_URL.');
  const client = new pg.Client({ connectionString: address, application_name: 'engine adopt' });
  // A connection that breaks fails the statement; without a listener it would end the program.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('set default_transaction_read_only = on');
    const found = await findLeftovers(client);
    context.stdout(
      { text: leftoversText, sql: settlingSql, json: (all: object) => `${JSON.stringify(all, null, 2)}\n` }[
        format
      ](found),
    );
    return isSettled(found) ? 0 : 1;
  } catch (error) {
    throw new UsageError(`The database cannot be read: ${describeConnectionError(error)}`);
  } finally {
    await client.end();
  }
}
