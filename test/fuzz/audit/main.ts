/** `npm run fuzz -- audit`: does `audit diff` say what a change of metadata gives and takes? */
import type { FuzzKind } from '../run.ts';
import { runBesideCampaign } from './beside.ts';
import {
  type CampaignResult,
  type CatalogResult,
  type FailedPair,
  runCampaign,
  runCatalogCampaign,
} from './campaign.ts';
import { runNeutralCampaign } from './neutral.ts';

const CASES = 5000;
/** Changes of permissions for each other change, which takes longer. */
const BESIDE = 5;
const BELOW = 10;

export const fuzzAudit: FuzzKind = async ({ serverUrl, seed, cases = CASES }) => {
  const started = performance.now();
  const options = { serverUrl, seed, database: `engine_fuzz_audit_${process.pid}` };
  const result = await runCampaign({ ...options, cases });
  if (!holds(result, seed)) return false;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`\n${result.cases} cases of seed ${seed} in ${seconds} s: what was won and lost was said.`);
  const beside = await runBesideCampaign({ ...options, cases: Math.ceil(cases / BESIDE) });
  for (const alarm of beside.alarms) console.log(`alarm for nothing: ${alarm}`);
  if (beside.defect !== undefined) {
    console.log(`Not said: ${beside.defect}`);
    return false;
  }
  console.log(`${beside.cases} changes beside permissions: ${heldWords(beside)}`);
  const neutral = await runNeutralCampaign({ ...options, cases: Math.ceil(cases / BESIDE) });
  for (const alarm of neutral.alarms) console.log(`not called equal: ${alarm}`);
  console.log(`${neutral.cases} neutral rewrites of rules: ${neutral.alarms.length} were not called equal.`);
  const below = await runCatalogCampaign({ ...options, cases: Math.ceil(cases / BELOW) });
  for (const alarm of below.alarms) console.log(`alarm for nothing: ${alarm}`);
  if (!holds(below, seed, BELOW)) return false;
  console.log(`\n${below.cases} changes of the database: ${heldWords(below)}`);
  return true;
};

function holds({ failed, outcomes }: CampaignResult, seed: number, share = 1): boolean {
  if (failed) console.log(describeFailure(failed, seed, share));
  else
    for (const [outcome, count] of [...outcomes].sort())
      console.log(`${String(count).padStart(7)}  ${outcome}`);
  return !failed;
}

function heldWords({ alarms, neutral }: Pick<CatalogResult, 'alarms' | 'neutral'>): string {
  return `what was won and lost was said; ${alarms.length} of ${neutral} neutral ones were not called equal.`;
}

/** Everything that is needed to see the failure again by hand. @param share cases of the command for one of the campaign */
export function describeFailure(
  { number, defect, changes, before, after, rows, sessions, findings }: FailedPair,
  seed: number,
  share = 1,
): string {
  return [
    `Case ${number} of seed ${seed}: ${defect}`,
    `-- changes\n${changes.join('\n')}`,
    `-- findings\n${findings.map(({ verdict, role, table, operation, text, before: old, after: next }) => `${verdict}: ${role}, ${operation} ${table}: ${text}\n    ${old}\n    ${next}`).join('\n')}`,
    `-- rows\n${JSON.stringify(rows)}`,
    `-- sessions\n${JSON.stringify(sessions)}`,
    `-- before\n${JSON.stringify(before)}`,
    `-- after\n${JSON.stringify(after)}`,
    `Again: npm run fuzz -- audit --seed ${seed} --cases ${number * share}`,
  ].join('\n\n');
}
