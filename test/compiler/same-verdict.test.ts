/** `engine compile` and the server say the same of what cannot be served, with the same words. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { engine } from '../harness/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../harness/postgres.ts';
import { send, startTestServer, type TestServer } from '../harness/server.ts';

const CASES = fileURLToPath(new URL('../cases/', import.meta.url));

const SQL = `
  create schema other;
  create table person (id bigint primary key, name text, mail text);
  create table item (id bigint primary key, owner bigint references person, label text, code uuid);
  create table untracked (id bigint primary key, item bigint references item);
  create view total as select count(*) as items from item;
  create function twice(value int) returns int language sql stable as 'select 2 * value';
  create function overloaded(a int) returns setof item language sql stable as 'select * from item';
  create function overloaded(a text) returns setof item language sql stable as 'select * from item';
  create function listed() returns setof item language sql stable as 'select * from item';
  create function other.listed() returns setof item language sql stable as 'select * from public.item';
  create function initials(person) returns text language sql stable as 'select left($1.name, 1)';
`;

interface Misfit {
  readonly what: string;
  readonly item?: object;
  readonly source?: object;
  readonly metadata?: object;
  readonly finds?: readonly string[];
  readonly only?: { readonly compile: string; readonly server?: string };
}

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'engine-same-verdict-'));
  server = await startTestServer(await createTestDatabase());
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Verdict {
  /** The message of the error by which it was refused. */
  readonly refusal?: string;
  readonly warnings: readonly string[];
  readonly inconsistent: readonly object[];
}

/** What a server says that is given the metadata. */
async function served(metadata: object): Promise<Verdict> {
  const args = { metadata, allow_inconsistent_metadata: true };
  const replaced = await send(server, '/v1/metadata', {
    body: { type: 'replace_metadata', version: 2, args },
  });
  if (replaced.status !== 200)
    return { refusal: (replaced.json as { error: string }).error, warnings: [], inconsistent: [] };
  const answer = await send(server, '/v1/metadata', {
    body: { type: 'get_inconsistent_metadata', args: {} },
  });
  const { warnings = [] } = replaced.json as { warnings?: { message: string }[] };
  return { warnings: warnings.map(({ message }) => message), inconsistent: answer.json as object[] };
}

/** What the command says, from the same database and with its proof of the SQL. */
async function compiled(metadata: object) {
  const file = join(folder, 'metadata.json');
  const out = join(folder, 'generated');
  rmSync(out, { recursive: true, force: true });
  writeFileSync(file, JSON.stringify(metadata));
  const options = ['--allow-inconsistent', '--prove', '--check-environment', '--format', 'json'];
  const { stdout } = await engine('compile', '--metadata', file, '--out', out, ...options);
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { code: string; severity: string; message: string; object: string }[];
  };
  const inconsistent = JSON.parse(readFileSync(join(out, 'inconsistencies.json'), 'utf8')) as object[];
  return { diagnostics, inconsistent };
}

const nameOf = (each: object) => ('name' in each ? each.name : JSON.stringify(each));

describe('objects that cannot be served', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase(SQL);
  });

  test.each(parse(readFileSync(join(CASES, 'metadata/inconsistent.yaml'), 'utf8')) as Misfit[])(
    '$what',
    async ({ item = {}, source = {}, metadata: more = {}, finds = [], only }) => {
      const metadata = {
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            tables: [{ table: 'item' }, { table: 'person' }],
            ...source,
            configuration: { connection_info: { database_url: database.url } },
          },
        ],
        ...more,
      };
      Object.assign(metadata.sources[0]!.tables[0]!, item);
      const here = await served(metadata);
      const there = await compiled(metadata);
      const errors = there.diagnostics.filter(({ severity }) => severity === 'error');
      if (only) {
        // Compile reports what the other one refuses, or cannot know.
        expect(errors.map(({ code, object }) => `${code} ${object}`).join(', ')).toBe(only.compile);
        expect(here.refusal ?? here.inconsistent.map(nameOf).join(', ')).toBe(only.server ?? '');
        return;
      }
      expect(here.refusal).toBeUndefined();
      expect(there.inconsistent).toEqual(here.inconsistent);
      expect(here.inconsistent.map(nameOf).sort()).toEqual([...finds].sort());
      // What one finds is an error of the other: none is missing from the list.
      expect(errors.length === 0).toBe(finds.length === 0);
    },
  );
});

interface Unreadable {
  readonly what: string;
  readonly metadata?: unknown;
  readonly table?: object;
  readonly permission?: unknown;
}

/** Metadata with one table, or a permission on it. */
function unreadable({ metadata, table, permission }: Unreadable, database_url: string): unknown {
  const entry =
    table ?? (permission === undefined ? undefined : { select_permissions: [{ role: 'user', permission }] });
  return entry
    ? {
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            configuration: { connection_info: { database_url } },
            tables: [{ table: 'item', ...entry }],
          },
        ],
      }
    : metadata;
}

describe('metadata that does not fit', () => {
  test.each(parse(readFileSync(join(CASES, 'metadata/misfits.yaml'), 'utf8')) as Unreadable[])(
    '$what',
    async (misfit) => {
      const { url } = await createTestDatabase(SQL);
      const metadata = unreadable(misfit, url) as object;
      const here = await served(metadata);
      const there = readMetadata(metadata).diagnostics;
      const [error] = there.filter(({ severity }) => severity === 'error');
      expect(here.refusal).toBe(error?.message);
      if (!error)
        expect(here.warnings).toEqual(
          there.map(({ message, details = [] }) => [message, ...details].join(' ')),
        );
    },
  );
});

/** Projects of the compiler's tests. */
const PROJECTS = readdirSync(CASES).filter((name) => existsSync(join(CASES, name, 'metadata.json')));

test.each(PROJECTS)('project %s', async (name) => {
  const project = join(CASES, name);
  const database = await createTestDatabase(readFileSync(join(project, 'schema.sql'), 'utf8'));
  const metadata = JSON.parse(readFileSync(join(project, 'metadata.json'), 'utf8'));
  for (const source of metadata.sources) source.configuration.connection_info.database_url = database.url;
  // Roles in a circle refuse the whole: said above.
  const roles = (metadata.inherited_roles ?? []) as { role_name: string; role_set: string[] }[];
  metadata.inherited_roles = roles.filter(
    ({ role_name }) =>
      !roles.some((other) => other.role_name !== role_name && other.role_set.includes(role_name)),
  );
  const here = await served(metadata);
  const there = await compiled(metadata);
  expect(here.refusal).toBeUndefined();
  // Only the order is each one's own: a server judges a table after the other.
  const sorted = (objects: readonly object[]) => objects.map((each) => JSON.stringify(each)).sort();
  expect(sorted(there.inconsistent)).toEqual(sorted(here.inconsistent));
});
