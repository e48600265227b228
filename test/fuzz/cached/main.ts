/** `npm run fuzz -- cached`: kept answers are those of fresh queries, for every role and session, after every write. */
import type { FuzzKind } from '../run.ts';
import { runCachedCampaign } from './campaign.ts';

const CASES = 500;

export const fuzzCached: FuzzKind = async ({ serverUrl, seed, cases = CASES }) => {
  const started = performance.now();
  const name = `engine_fuzz_cached_${process.pid}`;
  const { cases: run, compared, hits, fault } = await runCachedCampaign(serverUrl, name, seed, cases);
  if (fault) {
    console.log(
      `Case ${run} of seed ${seed}: ${fault}\n\nAgain: npm run fuzz -- cached --seed ${seed} --cases ${run}`,
    );
    return false;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${run} cases of seed ${seed} in ${seconds} s; ${compared} answers compared, ${hits} of them kept.`,
  );
  return true;
};
