/** `npm run fuzz -- live`: random subscriptions and writes; in the end every client holds what a fresh query answers. */
import type { FuzzKind } from '../run.ts';
import { runLiveCampaign } from './campaign.ts';

const ACTIONS = 1000;

export const fuzzLive: FuzzKind = async ({ serverUrl, seed, cases = ACTIONS }) => {
  const started = performance.now();
  const { actions, compared, fault } = await runLiveCampaign(serverUrl, seed, cases);
  if (fault) {
    console.log(
      `Case ${actions} of seed ${seed}: ${fault}\n\nAgain: npm run fuzz -- live --seed ${seed} --cases ${actions}`,
    );
    return false;
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${actions} actions of seed ${seed} in ${seconds} s; ${compared} comparisons with fresh queries held.`,
  );
  return true;
};
