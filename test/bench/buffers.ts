/** What a statement touches: less noisy than time, and the same on every machine. */
import pg from 'pg';
import type { BenchCase } from './cases.ts';
import { type FloorStatement, valuesOf } from './statements.ts';

/** Shared buffers that a statement reads, from cache or disk, summed over the requests of a case. */
export async function totalBuffers(
  databaseUrl: string,
  { requests }: BenchCase,
  statement: FloorStatement,
): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    let total = 0;
    for (const request of requests) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
        `explain (analyze, buffers, format json) ${statement.text}`,
        valuesOf(statement, request),
      );
      const { Plan: root } = rows[0]!['QUERY PLAN'][0];
      total += root['Shared Hit Blocks']! + root['Shared Read Blocks']!;
    }
    return total;
  } finally {
    await client.end();
  }
}
