/**
 * Random changes of metadata: what each role won and lost on rows, compared with what `audit diff` says. What a role won is
 * found by `wider` or `undecidable`; what it lost is found at all.
 */
import pg from 'pg';
import { type CompileResult, compile } from '../../../compiler/index.ts';
import type { Plan, PlannedTable } from '../../../compiler/model/plan.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { programOf } from '../../../compiler/phases/4-plan/program.ts';
import { diffCode } from '../../../compiler/review/audit/diff.ts';
import { type Finding, VERDICTS } from '../../../compiler/review/audit/finding.ts';
import { type GeneratedCode, linkCode, readTexts } from '../../../compiler/review/generated-code/index.ts';
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import type { connectSource } from '../../../runtime/database/source.ts';
import { openSource } from '../../harness/source.ts';
import { Random } from '../random.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import {
  type Asker,
  type Candidates,
  type Capabilities,
  type Capability,
  createAsker,
  won,
} from './capabilities.ts';
import { LAYERS, randomCatalogChange } from './catalog-changes.ts';
import { changeProject, randomProject } from './random-project.ts';
import { rootFields, secretsOf } from './reads.ts';
import {
  INHERITED,
  metadataOf,
  type Project,
  ROLES,
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

/** Pairs with the same rows and the same base. */
const CHANGES = 25;
/** One of so many is read from the generated texts, as the command does. */
const PRINTED = 50;
const ALL_ROLES = [...ROLES, INHERITED];
const SERVING = { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true };

export interface CampaignOptions {
  /** A server on which a database may be created. */
  readonly serverUrl: string;
  readonly database: string;
  readonly seed: number;
  readonly cases: number;
}

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
      const base = bench.serve(project, 'base');
      if (!base) continue;
      const said = diffOf(base, base, 0);
      if (said.length > 0) {
        const json = metadataOf(project);
        const defect = `said, and nothing changed: ${said[0]!.text}`;
        const failed = {
          number,
          defect,
          changes: [],
          before: json,
          after: json,
          rows,
          sessions,
          findings: said,
        };
        return { cases: number, outcomes, failed };
      }
      const asker = bench.asker(randomCandidates(random, rows), sessions);
      const before = await look(bench, asker, base, sessions[0]!);
      for (let count = 0; count < CHANGES && number < cases; count += 1) {
        const changed = structuredClone(project);
        const changes = random.list(random.chance(0.7) ? 1 : 2, () => changeProject(random, changed));
        const head = bench.serve(changed, 'head');
        if (!head) continue;
        number += 1;
        const after = await look(bench, asker, head, sessions[0]!);
        // Either may be the earlier one.
        const isUndone = random.chance(0.5);
        const findings = isUndone ? diffOf(head, base, number) : diffOf(base, head, number);
        const outcome = isUndone ? judge(after, before, findings) : judge(before, after, findings);
        outcomes.set(outcome.name, (outcomes.get(outcome.name) ?? 0) + 1);
        if (outcome.defect)
          return {
            cases: number,
            outcomes,
            failed: {
              number,
              defect: outcome.defect,
              changes,
              before: metadataOf(isUndone ? changed : project),
              after: metadataOf(isUndone ? project : changed),
              rows,
              sessions,
              findings,
            },
          };
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
      await bench.change(`${SCHEMA}\n${LAYERS}`);
      const rows = randomRows(random);
      await bench.fill(rows);
      const sessions = random.list(3, () => randomSession(random));
      const project = randomProject(random);
      const base = bench.serve(project, 'base');
      if (!base) continue;
      const { sql, isNeutral, movesValues } = randomCatalogChange(random);
      const candidates = movesValues
        ? { inserts: new Map(), updates: new Map() }
        : randomCandidates(random, rows);
      const before = await look(bench, bench.asker(candidates, sessions), base, sessions[0]!);
      try {
        await bench.change(sql);
      } catch {
        // What it changes is used by something that it does not know.
        continue;
      }
      const head = bench.serve(project, 'head');
      if (!head) continue;
      number += 1;
      const findings = diffOf(base, head, 0);
      const after = await look(bench, bench.asker(candidates, sessions), head, sessions[0]!);
      const { name, defect } = judge(before, after, findings);
      outcomes.set(name, (outcomes.get(name) ?? 0) + 1);
      if (isNeutral) {
        neutral += 1;
        const alarm = findings.find(({ verdict }) => verdict !== 'not wider' && verdict !== 'narrower');
        if (alarm) alarms.push(`${sql}: ${alarm.verdict}, ${alarm.table}: ${alarm.text}`);
      }
      if (defect) {
        const json = metadataOf(project);
        const failed = {
          number,
          defect,
          changes: [sql],
          before: json,
          after: json,
          rows,
          sessions,
          findings,
        };
        return { cases: number, outcomes, failed, neutral, alarms };
      }
    }
    return { cases: number, outcomes, failed: undefined, neutral, alarms };
  } finally {
    await bench.end();
  }
}

interface Served {
  readonly compiled: CompileResult;
  readonly code: GeneratedCode;
  /** Without limits of rows: the rows beyond a limit are those of another request. */
  readonly unlimited: Program;
}

function diffOf(base: Served, head: Served, number: number): readonly Finding[] {
  const { findings } = diffCode(base.code, head.code);
  if (number === 0 || number % PRINTED !== 0) return findings;
  const [before, after] = [base, head].map(({ compiled, code: { label } }) =>
    readTexts({ label, folder: label, files: compiled.files }),
  );
  const withoutPlace = (list: readonly Finding[]) => JSON.stringify(list.map(({ place, ...rest }) => rest));
  const printed = diffCode(before!, after!).findings;
  if (withoutPlace(printed) !== withoutPlace(findings))
    throw new Error(`read from texts: ${withoutPlace(printed)}\nin process: ${withoutPlace(findings)}`);
  return findings;
}

/** What the roles may do in one version. */
interface View {
  readonly capabilities: Capabilities;
  /** By role. */
  readonly roots: ReadonlyMap<string, ReadonlySet<string>>;
  readonly secrets: ReadonlyMap<string, ReadonlySet<string>>;
}

async function look(
  { connection }: Bench,
  asker: Asker,
  { code: { program }, unlimited }: Served,
  session: Variables,
): Promise<View> {
  const secrets = new Map<string, ReadonlySet<string>>();
  for (const role of ALL_ROLES) secrets.set(role, await secretsOf(unlimited, role, session, connection));
  return {
    capabilities: await asker.capabilities(program, ALL_ROLES),
    roots: new Map(
      ALL_ROLES.map((role) => [
        role,
        new Set([
          ...rootFields(program, role, false),
          ...[...rootFields(program, role, true)].map((name) => `trusted ${name}`),
        ]),
      ]),
    ),
    secrets,
  };
}

/** The outcome of a pair, and what is wrong with the verdict, if anything is. */
function judge(
  before: View,
  after: View,
  findings: readonly Finding[],
): { readonly name: string; readonly defect?: string } {
  const gained = won(before.capabilities, after.capabilities);
  const lost = won(after.capabilities, before.capabilities);
  const moreOf = (key: 'roots' | 'secrets', one: View, other: View) =>
    ALL_ROLES.flatMap((role) =>
      [...other[key].get(role)!]
        .filter((name) => !one[key].get(role)!.has(name))
        .map((name) => ({ role, name })),
    );
  const [opened, closed] = [moreOf('roots', before, after), moreOf('roots', after, before)];
  const [seen, unseen] = [moreOf('secrets', before, after), moreOf('secrets', after, before)];
  const isLeak = ({ verdict }: Finding) =>
    verdict === 'wider' || verdict === 'changed meaning' || verdict === 'undecidable';
  const about =
    ({ role, table, operation }: Capability) =>
    (finding: Finding) =>
      finding.role === role &&
      finding.table === `public.${table}` &&
      (finding.operation === undefined || finding.operation === operation);
  const ofRole = (role: string) => (finding: Finding) => finding.role === role || finding.role === undefined;
  const words = ({ role, table, operation, what }: Capability) => `${role}, ${operation} ${table}, ${what}`;
  const defects = [
    ...gained
      .filter((capability) => !findings.some((each) => isLeak(each) && about(capability)(each)))
      .map((capability) => `won, and not said: ${words(capability)}`),
    ...opened
      .filter(({ role }) => !findings.some((each) => isLeak(each) && ofRole(role)(each)))
      .map(({ role, name }) => `opened, and not said: ${role}, ${name}`),
    ...seen
      .filter(({ role }) => !findings.some((each) => isLeak(each) && ofRole(role)(each)))
      .map(({ role, name }) => `read now, and not said: ${role}, ${name}`),
    ...lost
      .filter((capability) => !findings.some(about(capability)))
      .map((capability) => `lost, and nothing said: ${words(capability)}`),
    ...[...closed, ...unseen]
      .filter(({ role }) => !findings.some(ofRole(role)))
      .map(({ role, name }) => `lost, and nothing said: ${role}, ${name}`),
  ];
  const isMore = gained.length + opened.length + seen.length > 0;
  const isLess = lost.length + closed.length + unseen.length > 0;
  const truth = isMore ? (isLess ? 'won and lost' : 'won') : isLess ? 'lost' : 'neither';
  const verdict = VERDICTS.find((each) => findings.some((finding) => finding.verdict === each)) ?? 'nothing';
  return { name: `${truth}: ${verdict}`, ...(defects.length > 0 && { defect: defects.join('; ') }) };
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

interface Bench {
  readonly connection: ReturnType<typeof connectSource>;
  readonly fill: (rows: Rows) => Promise<void>;
  /** undefined: it does not compile. */
  readonly serve: (project: Project, label: string) => Served | undefined;
  readonly asker: (candidates: Candidates, sessions: readonly Variables[]) => Asker;
  /** Changes the database; what is served next is compiled for it. */
  readonly change: (sql: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

async function openBench({ serverUrl, database }: CampaignOptions): Promise<Bench> {
  const { url, client, drop } = await createScratchDatabase(serverUrl, database);
  await client.query(SCHEMA);
  const read = (): Promise<SourceCatalog> => readDatabase({ connectionString: url }, [], loadReadBody);
  let catalog = await read();
  const connection = openSource(url, { maxConnections: 1, preparedStatements: 0 });
  let last: CompileResult | undefined;
  return {
    connection,
    fill: async (rows) => {
      const tables = Object.entries(rows).flatMap(([table, list]) => {
        const names = Object.keys(list[0] ?? {}).join(', ');
        return list.length === 0
          ? []
          : `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, ${pg.escapeLiteral(JSON.stringify(list))})`;
      });
      await client.query(`truncate team, person, item, label; ${tables.join('; ')}`);
    },
    serve: (project, label) => {
      const read = readMetadata(metadataOf(project));
      const compiled = compile(
        { metadata: read.value, catalogs: { default: catalog }, serving: SERVING },
        last,
      );
      if ([...read.diagnostics, ...compiled.diagnostics].some(({ severity }) => severity === 'error'))
        return undefined;
      last = compiled;
      const { plan } = compiled.state;
      return {
        compiled,
        code: linkCode({
          ...{ label, generated: programOf(plan) },
          ...{ databases: plan.databases, settingFacts: plan.settingFacts },
        }),
        unlimited: linkCode({ label, generated: programOf(withoutLimits(plan)) }).program,
      };
    },
    asker: (candidates, sessions) => createAsker(client, candidates, sessions),
    change: async (sql) => {
      await client.query(sql);
      catalog = await read();
    },
    end: async () => {
      await connection.end();
      await drop();
    },
  };
}

function withoutLimits(plan: Plan): Plan {
  const unlimited = ({ select, ...operations }: PlannedTable['access']): PlannedTable['access'] => ({
    ...operations,
    ...(select && {
      select: Object.fromEntries(Object.entries(select).map(([role, { limit: _, ...rule }]) => [role, rule])),
    }),
  });
  return {
    ...plan,
    sources: plan.sources.map((source) => ({
      ...source,
      tables: source.tables.map((table) => ({ ...table, access: unlimited(table.access) })),
    })),
  };
}
