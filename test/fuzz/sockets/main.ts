/** `npm run fuzz -- sockets`: hostile frames, requests and answers; the server goes on, answers others and expects every error. */
import type { FuzzKind } from '../run.ts';
import { runCampaign } from './campaign.ts';

const CASES = 20_000;

export const fuzzSockets: FuzzKind = async ({ serverUrl, seed, cases = CASES, asFound }) => {
  const started = performance.now();
  const database = `engine_fuzz_${process.pid}`;
  const { frames, requests, found, longestStall, growth } = await runCampaign({
    serverUrl,
    database,
    seed,
    cases,
    asFound,
    report: ({ problem, batch, input }) =>
      console.log(`Case of batch ${batch}, seed ${seed}: ${problem}
${input}
`),
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `${frames} frames and ${requests} requests of seed ${seed} in ${seconds} s: ${found.length} kinds of problems. ` +
      `The longest turn took ${Math.round(longestStall)} ms of processor time; the heap grew by ${Math.round(growth / 2 ** 20)} MB.`,
  );
  return found.length === 0;
};
