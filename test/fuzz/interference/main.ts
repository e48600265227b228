/** `npm run fuzz -- interference`: does anything that a role may not see change an answer? */
import type { FuzzKind } from '../run.ts';
import { type FailedCase, runCampaign } from './campaign.ts';
import { runSessionsCampaign } from './sessions.ts';

const CASES = 2000;
/** One case in so many is asked of two whole servers, which others use at the same time. */
const SESSIONS = 4;

export const fuzzInterference: FuzzKind = async ({ serverUrl, seed, cases = CASES }) => {
  const started = performance.now();
  const database = `engine_fuzz_${process.pid}`;
  const { failed, outcomes, cases: run } = await runCampaign({ serverUrl, database, seed, cases });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (failed) {
    console.log(describeFailure(failed, seed));
    return false;
  }
  const often = [...outcomes].sort(([, left], [, right]) => right - left);
  for (const [outcome, count] of often.slice(0, 20)) console.log(`${String(count).padStart(7)}  ${outcome}`);
  console.log(`\n${run} cases of seed ${seed} in ${seconds} s: equal answers.`);
  return await amongSessions(serverUrl, database, seed, Math.ceil(cases / SESSIONS));
};

async function amongSessions(serverUrl: string, database: string, seed: number, cases: number) {
  const { fault, outcomes, cases: run } = await runSessionsCampaign(serverUrl, `${database}_s`, seed, cases);
  for (const [outcome, count] of [...outcomes].sort())
    console.log(`${String(count).padStart(7)}  ${outcome}`);
  console.log(
    fault
      ? `Case ${run} of seed ${seed} among sessions: ${fault}\n\nAgain: npm run fuzz -- interference --seed ${seed} --cases ${SESSIONS * run}`
      : `${run} cases of seed ${seed} among sessions: equal answers.`,
  );
  return fault === undefined;
}

/** Everything that is needed to see the failure again by hand. */
export function describeFailure({ number, world, request, answers, sql }: FailedCase, seed: number): string {
  return [
    `Case ${number} of seed ${seed}: the answers differ`,
    `-- database${world.schema}`,
    `-- settings ${JSON.stringify(world.settings)}${world.isAnalyzed ? ', analyzed' : ''}`,
    ...world.rows.map((rows, index) => `-- rows of database ${index + 1}\n${rows}`),
    `-- metadata\n${JSON.stringify(world.metadata)}`,
    `-- role ${world.role}, x-engine-user-id: 1`,
    request.query,
    JSON.stringify(request.variables),
    `-- SQL\n${sql}`,
    ...answers.map((text, index) => `-- answer ${index + 1}\n${text}`),
    `Again: npm run fuzz -- interference --seed ${seed} --cases ${number}`,
  ].join('\n\n');
}
