/** `npm run fuzz -- mutations`: random writes under random permissions, answer and database compared with the model's. */
import { describeDefect } from '../hostile/check.ts';
import type { FuzzKind } from '../run.ts';
import { type FailedCase, runCampaign } from './campaign.ts';
import { resetSql, schemaSql } from './world.ts';

const CASES = 1000;

export const fuzzMutations: FuzzKind = async ({ serverUrl, seed, cases = CASES, asFound }) => {
  const started = performance.now();
  const result = await runCampaign({
    serverUrl,
    database: `engine_fuzz_${process.pid}`,
    seed,
    cases,
    shrinks: !asFound,
  });
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
  console.log(
    `\n${result.cases} cases of seed ${seed} in ${seconds} s: every answer and every state as expected.`,
  );
  return true;
};

/** Everything that is needed to see the failure again by hand. */
export function describeFailure({
  seed,
  number,
  mutation,
  document,
  state,
  rules,
  detail,
}: FailedCase): string {
  const session = Object.entries(mutation.session).filter(([name]) => rules.includes(`{session.${name}::`));
  return [
    `Case ${number} of seed ${seed}: ${detail}`,
    `-- database\n${schemaSql}\n${resetSql(state.rows, state.sequences)}`,
    `-- rules\n${rules}`,
    `-- role ${mutation.role}, ${session.map(([name, { text }]) => `${name}: ${text}`).join(', ') || 'no session variables used'}`,
    document.query,
    JSON.stringify(document.variables),
    `-- ${detail}`,
    `Again: npm run fuzz -- mutations --seed ${seed} --cases ${number}`,
  ].join('\n\n');
}
