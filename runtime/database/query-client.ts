/** A connection for statements one by one, and transactions on it. */

/** The part of `pg.Client` that is used. */
export interface QueryClient {
  // biome-ignore lint/suspicious/noExplicitAny: `pg` gives untyped rows.
  query(text: string, values?: any[]): Promise<{ rows: any[] }>;
}

/** Runs `use` in a transaction, which is rolled back when it throws. @param begin the statement that begins it */
export async function inTransaction<Result>(
  client: QueryClient,
  begin: string,
  use: () => Promise<Result>,
): Promise<Result> {
  await client.query(begin);
  try {
    const result = await use();
    await client.query('commit');
    return result;
  } catch (error) {
    // The connection may be gone, and the transaction with it.
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
