/** `npm run fuzz -- canary`: does `audit who` list every role that reads a value of a column? */
import type { FuzzKind } from '../run.ts';
import { runCanary } from './campaign.ts';

const OPERATIONS = 20_000;

export const fuzzCanary: FuzzKind = async ({ serverUrl, seed, cases = OPERATIONS }) => {
  const started = performance.now();
  const database = `engine_fuzz_canary_${process.pid}`;
  const { failure, operations, schemas, seen, possible, listed } = await runCanary({
    serverUrl,
    database,
    seed,
    operations: cases,
  });
  if (failure !== undefined) {
    console.log(failure);
    return false;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${operations} operations on ${schemas} schemas of seed ${seed} in ${seconds} s: ${seen} columns came out to roles, ` +
      `all listed, ${possible} by possible paths only; ${listed} are listed in all.`,
  );
  return true;
};
