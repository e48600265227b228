/** `npm run fuzz -- remote`: random permissions of a remote schema; nothing outside them leaves, and presets stay. */
import type { FuzzKind } from '../run.ts';
import { describeFailure, runCampaign } from './campaign.ts';

const CASES = 1000;

export const fuzzRemote: FuzzKind = async ({ seed, cases = CASES }) => {
  const started = performance.now();
  const { failed, counts, cases: made } = await runCampaign({ seed, cases });
  if (failed) {
    console.log(describeFailure(failed));
    return false;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { roots, joins, refused, presets } = counts;
  console.log(
    `${made} cases of seed ${seed} in ${seconds} s: ${roots} documents of root fields and ${joins} of joins with ${presets} presets left, all within their permissions; ${refused} operations were refused.`,
  );
  return true;
};
