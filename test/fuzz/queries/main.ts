/** `npm run fuzz -- queries`: random requests to random projects, answers compared with the oracle's. */
import { describeDefect } from '../hostile/check.ts';
import type { FuzzKind } from '../run.ts';
import { type FailedCase, runCampaign } from './campaign.ts';
import { projectMetadata, projectSql } from './database.ts';

const CASES = 1000;

export const fuzzQueries: FuzzKind = async ({ serverUrl, seed, cases = CASES, asFound }) => {
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
  console.log(`\n${result.cases} cases of seed ${seed} in ${seconds} s: every answer as expected.`);
  return true;
};

/** Everything that is needed to see the failure again by hand. */
export function describeFailure({ seed, number, project, request, failure, sql, rules }: FailedCase): string {
  const used = Object.entries(request.session).filter(
    ([name]) => rules.includes(`{session.${name}`) || rules.includes('{session::'),
  );
  return [
    `Case ${number} of seed ${seed}: ${failure.detail}`,
    `-- database\n${projectSql(project)}`,
    `-- metadata\n${JSON.stringify(projectMetadata(project))}`,
    `-- rules\n${rules}`,
    `-- role ${request.role}, ${used.map(([name, { text }]) => `${name}: ${text}`).join(', ') || 'no session variables used'}`,
    failure.document.query,
    JSON.stringify(failure.document.variables),
    `-- SQL\n${sql}`,
    `-- ${failure.detail}`,
    `Again: npm run fuzz -- queries --seed ${seed} --cases ${number}`,
  ].join('\n\n');
}
