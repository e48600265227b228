/** `npm run fuzz -- mutations`: random writes under random permissions, answer and database compared with the model's. */
import { reporting } from '../report.ts';
import { type FailedCase, runCampaign } from './campaign.ts';
import { resetSql, schemaSql } from './world.ts';

export const fuzzMutations = reporting(
  runCampaign,
  describeFailure,
  'every answer and every state as expected',
);

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
