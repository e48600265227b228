/** `npm run fuzz -- audit`: does `audit diff` say what a change of metadata gives and takes? */
import type { FuzzKind } from '../run.ts';
import { type FailedPair, runCampaign, runCatalogCampaign } from './campaign.ts';

const CASES = 5000;

export const fuzzAudit: FuzzKind = async ({ serverUrl, seed, cases = CASES }) => {
  const started = performance.now();
  const result = await runCampaign({ serverUrl, database: `engine_fuzz_audit_${process.pid}`, seed, cases });
  if (result.failed) {
    console.log(describeFailure(result.failed, seed));
    return false;
  }
  for (const [outcome, count] of [...result.outcomes].sort())
    console.log(`${String(count).padStart(7)}  ${outcome}`);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`\n${result.cases} cases of seed ${seed} in ${seconds} s: what was won and lost was said.`);
  const below = await runCatalogCampaign({
    ...{ serverUrl, seed, cases: Math.ceil(cases / 10) },
    database: `engine_fuzz_audit_${process.pid}`,
  });
  if (below.failed) {
    console.log(describeFailure(below.failed, seed));
    return false;
  }
  for (const [outcome, count] of [...below.outcomes].sort())
    console.log(`${String(count).padStart(7)}  ${outcome}`);
  for (const alarm of below.alarms) console.log(`alarm for nothing: ${alarm}`);
  console.log(
    `\n${below.cases} changes of the database: what was won and lost was said; ${below.alarms.length} of ${below.neutral} neutral ones were not called equal.`,
  );
  return true;
};

/** Everything that is needed to see the failure again by hand. */
export function describeFailure(
  { number, defect, changes, before, after, rows, sessions, findings }: FailedPair,
  seed: number,
): string {
  return [
    `Case ${number} of seed ${seed}: ${defect}`,
    `-- changes\n${changes.join('\n')}`,
    `-- findings\n${findings.map(({ verdict, role, table, operation, text, before: old, after: next }) => `${verdict}: ${role}, ${operation} ${table}: ${text}\n    ${old}\n    ${next}`).join('\n')}`,
    `-- rows\n${JSON.stringify(rows)}`,
    `-- sessions\n${JSON.stringify(sessions)}`,
    `-- before\n${JSON.stringify(before)}`,
    `-- after\n${JSON.stringify(after)}`,
    `Again: npm run fuzz -- audit --seed ${seed} --cases ${number}`,
  ].join('\n\n');
}
