import { runCampaign as runMutations } from '../mutations/campaign.ts';
import { describeFailure as describeMutation } from '../mutations/main.ts';
import { type CampaignOptions, runCampaign as runQueries } from '../queries/campaign.ts';
import { describeFailure as describeQuery } from '../queries/main.ts';
import { reporting } from '../report.ts';
import { randomDistribution } from './distribution.ts';

/** `npm run fuzz -- shards`: random requests to tables of a simulated cluster. */
export const fuzzShards: ReturnType<typeof reporting> = async (context) => {
  const distributed =
    <Result>(run: (options: CampaignOptions) => Promise<Result>) =>
    (options: CampaignOptions) =>
      run({ ...options, distribution: randomDistribution });
  const held = 'what a cluster is asked answers as plain PostgreSQL does';
  const queries = reporting(distributed(runQueries), describeQuery, held);
  const mutations = reporting(distributed(runMutations), describeMutation, held);
  return (await queries(context)) && mutations(context);
};
