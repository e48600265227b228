/**
 * Random changes of metadata: what each role won and lost on rows, compared with what `audit diff` says. What a role won is
 * found by `wider` or `undecidable`; what it lost is found at all.
 */
import type { Finding } from '../../../compiler/review/audit/finding.ts';
import { Random } from '../random.ts';
import { type CampaignOptions, diffOf, openBench, type Served } from './bench.ts';
import type { Candidates } from './capabilities.ts';
import { randomCatalogChange } from './catalog-changes.ts';
import { ALL_ROLES, judge, look, withoutWrites } from './judge.ts';
import { grantsTo, LAYERS } from './layers.ts';
import { changeProject, randomProject } from './random-project.ts';
import {
  metadataOf,
  type Row,
  type Rows,
  randomRow,
  randomRows,
  randomSession,
  SCHEMA,
  type TableName,
  type Variables,
  WRITTEN,
} from './world.ts';
import { effectsOf, newUpserts, otherEffects, randomWrites, refusedNow, type Write } from './writes.ts';

/** Pairs with the same rows and the same base. */
const CHANGES = 25;
/** Changes of the database with the same metadata and rows. */
const CATALOG_CHANGES = 8;
/** Settings and memberships outlast what is in the database. */
const resetOf = (account: string) =>
  `do $$ begin execute format('alter database %I reset all', current_database());
    execute format('alter role ${account.replaceAll("'", "''")} in database %I reset all', current_database()); end $$;
    revoke pg_monitor, pg_read_all_data from ${account}`;

export interface FailedPair {
  readonly number: number;
  /** What the verdict does not say. */
  readonly defect: string;
  readonly changes: readonly string[];
  readonly before: object;
  readonly after: object;
  readonly rows: Rows;
  readonly sessions: readonly Variables[];
  readonly findings: readonly Finding[];
}

export interface CampaignResult {
  readonly cases: number;
  /** Pairs by what became of the rows, then by the verdict. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly failed: FailedPair | undefined;
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { seed, cases } = options;
  const bench = await openBench(options);
  const outcomes = new Map<string, number>();
  try {
    let number = 0;
    for (let index = 0; number < cases; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const rows = randomRows(random);
      await bench.fill(rows);
      const sessions = random.list(3, () => randomSession(random));
      const project = randomProject(random);
      const json = metadataOf(project);
      const base = bench.serve(json, 'base');
      if (!base) continue;
      const said = diffOf(base, base, 0);
      if (said.length > 0) {
        const defect = `said, and nothing changed: ${said[0]!.text}`;
        const pair = { changes: [], before: json, after: json, findings: said };
        const failed = { ...{ number, defect, rows, sessions }, ...pair };
        return { cases: number, outcomes, failed };
      }
      const asker = bench.asker(randomCandidates(random, rows), sessions);
      const before = await look(bench, asker, base, sessions[0]!);
      for (let count = 0; count < CHANGES && number < cases; count += 1) {
        const changed = structuredClone(project);
        const changes = random.list(random.chance(0.7) ? 1 : 2, () => changeProject(random, changed));
        const changedJson = metadataOf(changed);
        const head = bench.serve(changedJson, 'head');
        if (!head) continue;
        number += 1;
        const after = await look(bench, asker, head, sessions[0]!);
        // Either may be the earlier one.
        const isUndone = random.chance(0.5);
        const findings = isUndone ? diffOf(head, base, number) : diffOf(base, head, number);
        const { name, defect } = isUndone ? judge(after, before, findings) : judge(before, after, findings);
        outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
        if (defect) {
          const [from, to] = isUndone ? [changedJson, json] : [json, changedJson];
          const pair = { changes, before: from, after: to, findings };
          return { cases: number, outcomes, failed: { ...{ number, defect, rows, sessions }, ...pair } };
        }
      }
    }
    return { cases: number, outcomes, failed: undefined };
  } finally {
    await bench.end();
  }
}

/** Neutral changes, and those of them that a reviewer would have to look at. */
export interface CatalogResult extends CampaignResult {
  readonly neutral: number;
  readonly alarms: readonly string[];
}

/** Random changes of the database below the same metadata. */
export async function runCatalogCampaign(options: CampaignOptions): Promise<CatalogResult> {
  const { seed, cases } = options;
  const bench = await openBench(options);
  const outcomes = new Map<string, number>();
  const alarms: string[] = [];
  let neutral = 0;
  try {
    let number = 0;
    for (let index = 0; number < cases; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const { account } = bench;
      const reset = () => bench.reset(`${resetOf(account)}; ${SCHEMA}\n${LAYERS}\n${grantsTo(account)}`);
      await reset();
      const rows = randomRows(random);
      await bench.fill(rows);
      const sessions = random.list(3, () => randomSession(random));
      const project = randomProject(random);
      const json = metadataOf(project);
      const base = bench.serve(json, 'base');
      if (!base) continue;
      const candidates = randomCandidates(random, rows);
      const before = await look(bench, bench.asker(candidates, sessions), base, sessions[0]!);
      const writes = randomWrites(random, base.code.program, ALL_ROLES);
      const effects = (served: Served, all: readonly Write[]) =>
        effectsOf(all, served.code.program, sessions[0]!, bench.connection, bench.client, () =>
          bench.fill(rows),
        );
      const done = await effects(base, writes);
      for (let count = 0; count < CATALOG_CHANGES && number < cases; count += 1) {
        await reset();
        await bench.fill(rows);
        const { sql, isNeutral, movesValues } = randomCatalogChange(random, account);
        try {
          await bench.change(sql);
        } catch {
          // Something that the change does not know uses the object.
          continue;
        }
        const head = bench.serve(json, 'head', 'inconsistent')!;
        number += 1;
        const findings = diffOf(base, head, 0);
        const after = await look(bench, bench.asker(candidates, sessions), head, sessions[0]!);
        // Rows to write cannot be told to be the same where values have other names.
        const did = movesValues
          ? done
          : await effects(head, [
              ...writes,
              ...newUpserts(random, base.code.program, head.code.program, ALL_ROLES),
            ]);
        const { name, defect } = judge(
          movesValues ? withoutWrites(before) : before,
          movesValues ? withoutWrites(after) : after,
          findings,
          otherEffects(done, did),
          refusedNow(done, did),
        );
        outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
        if (isNeutral) {
          neutral += 1;
          const alarm = findings.find(({ verdict }) => verdict !== 'not wider' && verdict !== 'narrower');
          if (alarm) alarms.push(`${sql}: ${alarm.verdict}, ${alarm.table}: ${alarm.text}`);
        }
        if (defect) {
          const pair = { changes: [sql], before: json, after: json, findings };
          const failed = { ...{ number, defect, rows, sessions }, ...pair };
          return { cases: number, outcomes, failed, neutral, alarms };
        }
      }
    }
    return { cases: number, outcomes, failed: undefined, neutral, alarms };
  } finally {
    await bench.end();
  }
}

function randomCandidates(random: Random, rows: Rows): Candidates {
  const inserts = new Map<TableName, Row[]>();
  const updates = new Map<TableName, { old: Row; now: Row }[]>();
  for (const table of WRITTEN) {
    inserts.set(
      table,
      random.list(24, (index) => randomRow(random, table, 100 + index)),
    );
    updates.set(
      table,
      rows[table as keyof Rows].flatMap((old) =>
        random.list(6, (index) => {
          const other = randomRow(random, table, 200);
          const names = Object.keys(old);
          const changed = new Set(
            random.list(index === 0 ? 0 : random.between(1, 2), () => random.pick(names)),
          );
          return {
            old,
            now: Object.fromEntries(
              names.map((name) => [name, changed.has(name) ? other[name]! : old[name]!]),
            ),
          };
        }),
      ),
    );
  }
  return { inserts, updates };
}
