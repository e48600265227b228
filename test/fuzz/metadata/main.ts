/** `npm run fuzz -- metadata`: random sequences of operations; what is stored, served and restarted must agree. */
import type { FuzzKind } from '../run.ts';
import { type FailedSequence, runCampaign } from './campaign.ts';

const CASES = 1000;

export const fuzzMetadata: FuzzKind = async ({ serverUrl, seed, cases = CASES, asFound }) => {
  const started = performance.now();
  const result = await runCampaign({
    serverUrl,
    database: `engine_fuzz_metadata_${process.pid}`,
    seed,
    cases,
    asFound,
  });
  if (result.failed) {
    console.log(describeFailure(result.failed));
    return false;
  }
  for (const [type, { accepted, refused }] of [...result.counts].sort()) {
    console.log(`${type.padEnd(34)} ${accepted} accepted, ${refused} refused`);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `\n${result.cases} cases of seed ${seed} in ${seconds} s: full, incremental and restarted agree.`,
  );
  return true;
};

/** Everything that is needed to see the failure again by hand. */
export function describeFailure({ seed, number, requests, fault }: FailedSequence): string {
  return [
    `Case ${number} of seed ${seed}: ${fault}`,
    `-- requests\n${requests
      .map(
        ({ endpoint, body, storeFails }) =>
          `${endpoint} ${JSON.stringify(body)}${storeFails ? ' (the store fails)' : ''}`,
      )
      .join('\n')}`,
    `Again: npm run fuzz -- metadata --seed ${seed} --cases ${number}`,
  ].join('\n\n');
}
