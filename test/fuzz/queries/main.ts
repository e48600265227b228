/** `npm run fuzz -- queries`: random requests to random projects, answers compared with the oracle's. */
import { reporting } from '../report.ts';
import { type FailedCase, runCampaign } from './campaign.ts';
import { projectMetadata, projectSql } from './database.ts';

export const fuzzQueries = reporting(runCampaign, describeFailure, 'every answer as expected');

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
