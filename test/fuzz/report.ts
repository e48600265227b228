/** `npm run fuzz` for campaigns that compare answers with a model's: runs one, prints what it found or covered. */

import type { Defect } from './hostile/check.ts';
import { describeDefect } from './hostile/check.ts';
import type { CampaignOptions } from './queries/campaign.ts';
import type { FuzzKind } from './run.ts';

const CASES = 1000;

interface Result<Failed> {
  readonly cases: number;
  readonly refused?: number;
  readonly failed: Failed | undefined;
  readonly defect?: Defect;
  readonly coverage: { report(): string };
}

/** @param held what a campaign without a failure shows: `every answer as expected` */
export function reporting<Failed>(
  runCampaign: (options: CampaignOptions) => Promise<Result<Failed>>,
  describeFailure: (failed: Failed) => string,
  held: string,
): FuzzKind {
  return async ({ serverUrl, seed, cases = CASES, asFound }) => {
    const started = performance.now();
    const database = `engine_fuzz_${process.pid}`;
    const result = await runCampaign({ serverUrl, database, seed, cases, shrinks: !asFound });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (result.failed) {
      console.log(describeFailure(result.failed));
      return false;
    }
    if (result.defect) {
      console.log(`Case ${result.cases} of seed ${seed}: ${describeDefect(result.defect)}`);
      return false;
    }
    console.log(result.coverage.report());
    const refused = result.refused ? `, ${result.refused} of them refused` : '';
    console.log(`\n${result.cases} cases of seed ${seed} in ${seconds} s${refused}: ${held}.`);
    return true;
  };
}
