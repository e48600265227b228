/** A database and the compiler, on which versions of metadata are served and compared. */
import pg from 'pg';
import { type CompileResult, compile } from '../../../compiler/index.ts';
import type { Plan, PlannedTable } from '../../../compiler/model/plan.ts';
import { readMetadata } from '../../../compiler/phases/1-read/index.ts';
import { programOf } from '../../../compiler/phases/4-plan/program.ts';
import { diffCode } from '../../../compiler/review/audit/diff.ts';
import type { Finding } from '../../../compiler/review/audit/finding.ts';
import { type GeneratedCode, linkCode, readTexts } from '../../../compiler/review/generated-code/index.ts';
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import { loadReadBody } from '../../../runtime/catalog/sql-body.ts';
import type { Program } from '../../../runtime/core/program/program.ts';
import { readDatabase } from '../../../runtime/database/read-database.ts';
import type { connectSource } from '../../../runtime/database/source.ts';
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { SERVING } from '../../harness/compile.ts';
import { openSource } from '../../harness/source.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import { type Asker, type Candidates, createAsker } from './capabilities.ts';
import { grantsTo } from './layers.ts';
import { type Rows, SCHEMA, type Variables } from './world.ts';

export interface CampaignOptions {
  /** A server on which a database may be created. */
  readonly serverUrl: string;
  readonly database: string;
  readonly seed: number;
  readonly cases: number;
}

/** One of so many is read from the generated texts, as the command does. */
const PRINTED = 50;

export interface Served {
  readonly compiled: CompileResult;
  readonly code: GeneratedCode;
  /** Without limits of rows: the rows beyond a limit are those of another request. */
  readonly unlimited: Program;
}

/**
 * Empties every table and starts every sequence again. Deleting costs less than TRUNCATE, which makes files. The second pass
 * takes what rules that fire always have written.
 */
const EMPTY = `do $$ declare r record; begin
  for r in select oid::regclass as name from pg_class cross join generate_series(1, 2) where relnamespace = 'public'::regnamespace and relkind = 'r' order by generate_series
    loop execute format('delete from only %s', r.name); end loop;
  perform setval(seqrelid::regclass, seqstart, false) from pg_sequence join pg_class c on c.oid = seqrelid where relnamespace = 'public'::regnamespace;
end $$`;

/** What is said of the generated texts, which also hold what no request needs. */
export function printedDiff(base: Served, head: Served): readonly Finding[] {
  const [before, after] = [base, head].map(({ compiled, code: { label } }) =>
    readTexts({ label, folder: label, files: compiled.files }),
  );
  return diffCode(before!, after!).findings;
}

export function diffOf(base: Served, head: Served, number: number): readonly Finding[] {
  const { findings } = diffCode(base.code, head.code);
  if (number === 0 || number % PRINTED !== 0) return findings;
  const withoutPlace = (list: readonly Finding[]) => JSON.stringify(list.map(({ place, ...rest }) => rest));
  const printed = printedDiff(base, head);
  if (withoutPlace(printed) !== withoutPlace(findings))
    throw new Error(`read from texts: ${withoutPlace(printed)}\nin process: ${withoutPlace(findings)}`);
  return findings;
}

export interface Bench {
  readonly connection: ReturnType<typeof connectSource>;
  /** Of the owner of everything. */
  readonly client: pg.Client;
  /** The account that serves, which owns nothing. */
  readonly account: string;
  readonly fill: (rows: Rows) => Promise<void>;
  /** undefined: it does not compile. @param leaves serve what is left without the parts that do not compile, as a server does */
  readonly serve: (metadata: JsonObject, label: string, leaves?: 'inconsistent') => Served | undefined;
  readonly asker: (candidates: Candidates, sessions: readonly Variables[]) => Asker;
  /** Makes the database anew, from the same text each time; its catalog, the same each time, is read once. */
  readonly reset: (sql: string) => Promise<void>;
  /** Changes the database; what is served next is compiled for it. */
  readonly change: (sql: string) => Promise<void>;
  readonly end: () => Promise<void>;
}

export async function openBench({ serverUrl, database }: CampaignOptions): Promise<Bench> {
  const { url, client, drop } = await createScratchDatabase(serverUrl, database);
  const account = pg.escapeIdentifier(`${database}_server`);
  await client.query(`create role ${account} login password 'server'`);
  const address = new URL(url);
  [address.username, address.password] = [`${database}_server`, 'server'];
  await client.query(`${SCHEMA}; create schema app; ${grantsTo(account)}`);
  const read = (): Promise<SourceCatalog> =>
    readDatabase({ connectionString: address.href }, [], loadReadBody);
  let catalog = await read();
  const connect = () => openSource(address.href, { maxConnections: 1, preparedStatements: 0 });
  let connection = connect();
  const asking = new pg.Client({ connectionString: address.href });
  await asking.connect();
  let last: CompileResult | undefined;
  let first: SourceCatalog | undefined;
  // Settings are those of a session that begins.
  const reconnect = async () => {
    await connection.end();
    connection = connect();
  };
  return {
    get connection() {
      return connection;
    },
    client,
    account,
    fill: async (rows) => {
      const tables = Object.entries(rows).flatMap(([table, list]) => {
        const names = Object.keys(list[0] ?? {}).join(', ');
        return list.length === 0
          ? []
          : `insert into ${table} (${names}) select ${names} from jsonb_populate_recordset(null::${table}, ${pg.escapeLiteral(JSON.stringify(list))})`;
      });
      await client.query(
        `set session_replication_role = replica; ${EMPTY}; ${tables.join('; ')}; reset session_replication_role`,
      );
    },
    serve: (metadata, label, leaves) => {
      const read = readMetadata(metadata);
      const compiled = compile(
        { metadata: read.value, catalogs: { default: catalog }, serving: SERVING },
        last,
      );
      const all = [...read.diagnostics, ...compiled.diagnostics];
      if (!leaves && all.some(({ severity }) => severity === 'error')) return undefined;
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
    asker: (candidates, sessions) => createAsker(asking, candidates, sessions),
    reset: async (sql) => {
      await client.query(sql);
      first ??= await read();
      catalog = first;
      await reconnect();
    },
    change: async (sql) => {
      await client.query(sql);
      catalog = await read();
      await reconnect();
    },
    end: async () => {
      await Promise.all([connection.end(), asking.end()]);
      await client.query(`drop owned by ${account}; drop role ${account}`);
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
