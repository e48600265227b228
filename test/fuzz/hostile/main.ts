/** `npm run fuzz -- hostile`: random requests with operands of every kind; none may be answered with an unexpected error. */
import type { FuzzKind } from '../run.ts';
import { runCampaign } from './campaign.ts';
import { describeDefect } from './check.ts';

const CASES = 2000;

export const fuzzHostile: FuzzKind = async ({ serverUrl, seed, cases = CASES }) => {
  const started = performance.now();
  const database = `engine_fuzz_${process.pid}`;
  const result = await runCampaign({ serverUrl, database, seed, cases });
  for (const defect of result.defects) console.log(`Case ${defect.number}: ${describeDefect(defect)}\n`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${result.cases} requests of seed ${seed} in ${seconds} s: ${result.defects.length} kinds of unexpected errors.`,
  );
  return result.defects.length === 0;
};
