/** Many random mutations one after another: new permissions and rows every so many, the rows as they were before each. */
import type pg from 'pg';
import type { EngineError } from '../../../runtime/core/errors.ts';
import { EXTENSIONS } from '../../../runtime/core/names.ts';
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import { createLoader } from '../../../runtime/program/loader.ts';
import { type InProcess, serveInProcess } from '../../harness/in-process.ts';
import { type Defect, sendHostile } from '../hostile/check.ts';
import { wrongAnswer } from '../queries/answer.ts';
import type { CampaignOptions } from '../queries/campaign.ts';
import type { Document } from '../queries/print.ts';
import { equalJson, type Value } from '../queries/types.ts';
import { Random } from '../random.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import { isRefusedForShards } from '../shards/distribution.ts';
import { Coverage } from './coverage.ts';
import { expectedOutcome, type Outcome } from './oracle.ts';
import { type Permissions, randomPermissions } from './permissions.ts';
import { printMutation } from './print.ts';
import { randomMutation } from './random-mutation.ts';
import { randomRows } from './random-rows.ts';
import type { Mutation } from './request.ts';
import { smaller } from './shrink.ts';
import type { State } from './state.ts';
import { RULES, TABLES } from './tables.ts';
import { metadataOf, projectOf, resetSql, schemaSql, stateJson, stateSql } from './world.ts';

const MUTATIONS_PER_PROJECT = 40;

export interface FailedCase {
  readonly seed: number;
  readonly number: number;
  readonly mutation: Mutation;
  readonly document: Document;
  readonly state: State;
  readonly permissions: Permissions;
  readonly rules: string;
  readonly detail: string;
}

export interface CampaignResult {
  readonly cases: number;
  /** Those that were not answered because of where their tables are. */
  readonly refused: number;
  /** The first failure ends the campaign. */
  readonly failed: FailedCase | undefined;
  /** A request that got an unexpected error ends the campaign as well. */
  readonly defect?: Defect;
  readonly coverage: Coverage;
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { serverUrl, database, seed, cases, shrinks } = options;
  const coverage = new Coverage();
  const scratch = await createScratchDatabase(serverUrl, database);
  const { client } = scratch;
  const loader = createLoader();
  try {
    await client.query(schemaSql);
    let number = 0;
    let refused = 0;
    for (let index = 0; number < cases; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const permissions = randomPermissions(random);
      coverage.addPermissions(permissions);
      const distribution = options.distribution?.(new Random(index), TABLES);
      const served = await serveInProcess(scratch.url, metadataOf(permissions), loader, {
        reader: scratch.reader,
        naming: { extensions: EXTENSIONS },
        ...(distribution && { distribution }),
      });
      try {
        const rows = randomRows(random);
        const sequences = Object.fromEntries(
          Object.entries(RULES).flatMap(([table, { serial }]) =>
            serial ? [[table, rows[table]!.length]] : [],
          ),
        );
        const state: State = { rows, sequences };
        for (let count = 0; count < MUTATIONS_PER_PROJECT && number < cases; count += 1) {
          const mutation = randomMutation(random, rows, permissions);
          const printSeed = random.below(1_000_000);
          if (!mutation) continue;
          number += 1;
          const expected = expectedOutcome(state, permissions, mutation);
          coverage.addCase(mutation, expected);
          const check = (candidate: Mutation) =>
            checkCase(client, served, state, permissions, candidate, printSeed, distribution);
          const wrong = await check(mutation);
          if (wrong === REFUSED) refused += 1;
          if (distribution && (wrong === undefined || wrong === REFUSED)) continue;
          if (wrong === undefined) {
            const hostile = new Random(printSeed);
            const defect = await sendHostile(hostile, served, 'mutation', mutation.role, textsOf(mutation));
            if (defect) return { cases: number, refused, failed: undefined, defect, coverage };
            continue;
          }
          const smallest = shrinks
            ? await smaller(
                mutation,
                async (candidate) => ![undefined, REFUSED].includes(await check(candidate)),
              )
            : mutation;
          const detail = (await check(smallest)) ?? 'it failed once and passed the second time';
          const document = printMutation(projectOf(rows, permissions), smallest, new Random(printSeed));
          const rules = [...served.files]
            .filter(([path]) => path.endsWith('.access.ts'))
            .map(([, text]) => text)
            .join('\n');
          const failed = { seed, number, mutation: smallest, document, state, permissions, rules, detail };
          return { cases: number, refused, failed, coverage };
        }
      } finally {
        await served.end();
      }
    }
    return { cases: number, refused, failed: undefined, coverage };
  } finally {
    await scratch.drop();
  }
}

function textsOf({ session }: Mutation): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(session).map(([key, { text }]) => [key, text]));
}

/** It was not answered because of where its tables are, and nothing was written. */
const REFUSED = 'refused';

/** What is wrong with one case; undefined: nothing. */
async function checkCase(
  client: pg.Client,
  served: InProcess,
  state: State,
  permissions: Permissions,
  mutation: Mutation,
  printSeed: number,
  distribution: Distribution | undefined,
): Promise<string | undefined> {
  const expected = expectedOutcome(state, permissions, mutation);
  await client.query(resetSql(state.rows, state.sequences));
  const document = printMutation(projectOf(state.rows, permissions), mutation, new Random(printSeed));
  const answered = await served.answer(document, mutation.role, textsOf(mutation), mutation.backend).then(
    (text) => ({ text }),
    (error: Error) => ({ error }),
  );
  const wrong = compareAnswer(expected, answered);
  const isRefused =
    'error' in answered &&
    (isRefusedForShards(answered.error, distribution) ||
      // Forms for a cluster may meet a constraint, or a key that is given twice, before they check a rule.
      (distribution !== undefined &&
        expected.kind === 'error' &&
        ((answered.error as EngineError).code === 'constraint-violation' ||
          answered.error.message.startsWith(
            'ON CONFLICT DO UPDATE command cannot affect row a second time',
          ))));
  if (wrong !== undefined && !isRefused) return wrong;
  const { rows } = await client.query<{ state: string }>(stateSql);
  const found = JSON.parse(rows[0]!.state) as Record<string, Value>;
  const isWritten = expected.kind === 'answer' && wrong === undefined;
  const wanted: Record<string, Value> = stateJson((isWritten ? expected.state : state).rows);
  const table = Object.keys(wanted).find((name) => !equalJson(wanted[name]!, found[name]!));
  return table === undefined
    ? wrong && REFUSED
    : `${table} should be\n  ${JSON.stringify(wanted[table])}\nand is\n  ${JSON.stringify(found[table])}`;
}

function compareAnswer(
  expected: Outcome,
  answered: { readonly text: string } | { readonly error: Error },
): string | undefined {
  if ('text' in answered) {
    if (expected.kind === 'error')
      return `expected ${[...expected.codes].join(' or ')} at ${expected.path}, got the answer ${answered.text}`;
    return wrongAnswer(expected.answer, answered.text);
  }
  const { code, path, message, internal, stack } = answered.error as EngineError;
  const got = `${code} at ${path}: ${message} ${JSON.stringify(internal ?? stack)}`;
  if (expected.kind === 'answer') return `expected an answer, got ${got}`;
  return expected.codes.has(code) && expected.path === path
    ? undefined
    : `expected ${[...expected.codes].join(' or ')} at ${expected.path}, got ${got}`;
}
