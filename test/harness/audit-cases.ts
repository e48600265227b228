/**
 * Cases of test/cases/audit: a change of the project in `project/`, and what the reviews say of it.
 *
 *   change:                                  # of the metadata
 *     tables:
 *       ticket:                              # a table that is not there is tracked
 *         select_permissions: { customer: { filter: {…}, limit: null } }   # keys of the role's permission; null removes
 *         object_relationships: [{ name: … }]    # entries are replaced by name, or added
 *     source: { configuration: {…} }             # keys of the source
 *     document: { inherited_roles: [{ role_name: … }] }
 *     remotes: { shop: "type Query { … }" }   # what remote schemas offer
 *   sql: alter table …                       # after schema.sql
 *   before: { change: …, sql: … }            # what both sides have
 *   truth: wider                             # wider, other (rows won and lost), narrower, same
 *   verdict: wider                           # the worst finding of `audit diff`, or same
 *   says: [the row rule is wider]            # parts of its findings: `verdict role table, operation: text`
 *   lint: [rule-is-always-true]              # codes that the change adds
 *   errors: [unknown column]                 # parts of errors of the compile, which leaves the object out
 *
 * Cases that begin with two digits and a letter are rows of one list of changes; `own-` are others.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { parse } from 'yaml';
import { type CompileResult, compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import { diffCode } from '../../compiler/review/audit/diff.ts';
import { VERDICTS } from '../../compiler/review/audit/finding.ts';
import { type GeneratedCode, readTexts } from '../../compiler/review/generated-code/index.ts';
import { lint } from '../../compiler/review/lint/index.ts';
import { placeTables } from '../../compiler/review/lint/place.ts';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import type { RunQuery } from '../../runtime/catalog/introspect.ts';
import { loadReadBody } from '../../runtime/catalog/sql-body.ts';
import { readConnected } from '../../runtime/database/read-database.ts';
import { SESSION_SETTINGS } from '../../runtime/database/session-settings.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import { createTestDatabase } from './postgres.ts';

const folder = fileURLToPath(new URL('../cases/audit', import.meta.url));
const projectFile = (name: string) => readFileSync(`${folder}/project/${name}`, 'utf8');

type Entry = Record<string, unknown>;

interface Change {
  readonly tables?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly document?: Entry;
  readonly source?: Entry;
  readonly remotes?: Readonly<Record<string, string>>;
}

export interface AuditCase {
  readonly name: string;
  readonly change?: Change;
  readonly sql?: string;
  readonly before?: { readonly change?: Change; readonly sql?: string };
  readonly truth: 'wider' | 'other' | 'narrower' | 'same';
  readonly verdict: string;
  readonly says?: readonly string[];
  readonly lint?: readonly string[];
  readonly errors?: readonly string[];
}

/** Every case, by the name of its file; a file may also hold a list of cases with names. */
export function readAuditCases(): AuditCase[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => {
      const content = parse(readFileSync(`${folder}/${file}`, 'utf8'));
      const name = file.slice(0, -5);
      return Array.isArray(content)
        ? content.map((each) => ({ ...each, name: `${name}: ${each.name}` }))
        : [{ name, ...content }];
    });
}

export interface AuditOutcome {
  readonly verdict: string;
  readonly findings: readonly string[];
  readonly lint: readonly string[];
}

/** What the reviews say of a case's change. */
export async function auditCase({ change, sql, before, errors = [] }: AuditCase): Promise<AuditOutcome> {
  const base = await project([before?.change], [before?.sql]);
  const head = await project([before?.change, change], [before?.sql, sql]);
  for (const side of [base, head]) {
    const expected = side === head ? errors : [];
    const surprises = side.errors.filter((message) => !expected.some((part) => message.includes(part)));
    const missing = expected.filter((part) => !side.errors.some((message) => message.includes(part)));
    if (surprises.length + missing.length > 0)
      throw new Error([...surprises, ...missing.map((part) => `No error says: ${part}`)].join('\n'));
  }
  const { findings } = diffCode(base.code, head.code);
  return {
    verdict: VERDICTS.find((each) => findings.some(({ verdict }) => verdict === each)) ?? 'same',
    findings: findings.map(
      ({ verdict, role = 'every role', table, operation, text }) =>
        `${verdict} ${role} ${[table, operation].filter(Boolean).join(', ')}: ${text}`,
    ),
    lint: [
      ...new Set(head.lint.filter((each) => !base.lint.includes(each)).map((each) => each.split(' ')[0]!)),
    ].sort(),
  };
}

/** The generated code of the project after a change. */
export async function projectCode(change?: Change): Promise<GeneratedCode> {
  return (await project([change], [])).code;
}

interface Side {
  readonly code: GeneratedCode;
  readonly errors: readonly string[];
  /** Code and message of every finding. */
  readonly lint: readonly string[];
}

const known = new Map<string, Promise<Side>>();

function project(
  changes: readonly (Change | undefined)[],
  sql: readonly (string | undefined)[],
): Promise<Side> {
  const key = JSON.stringify([changes.filter(Boolean), sql.filter(Boolean)]);
  const side = known.get(key) ?? compileProject(changes, sql);
  // The unchanged project is one side of most cases.
  if (key === '[[],[]]') known.set(key, side);
  return side;
}

async function compileProject(
  changes: readonly (Change | undefined)[],
  sql: readonly (string | undefined)[],
): Promise<Side> {
  const json = parse(projectFile('metadata.yaml'));
  for (const change of changes) if (change) apply(json, change);
  const { value: metadata, diagnostics } = readMetadata(json);
  const catalogs = await catalogsAfter(
    metadata,
    sql.filter((text) => text !== undefined),
  );
  const documents = changes.flatMap((change) => Object.entries(change?.remotes ?? {}));
  const remotes = Object.fromEntries(documents.map(([name, sdl]) => [name, { sdl }]));
  const result: CompileResult = compile({ metadata, catalogs, remotes });
  const errors = [...diagnostics, ...result.diagnostics].filter(({ severity }) => severity === 'error');
  const input = placeTables(metadata, result.state.model, result.state.plan, catalogs);
  const findings = lint(input, {
    publicRoles: ['public'],
    sessionVariables: ['x-engine-user-id', 'x-engine-tenant-id', 'x-engine-team-ids'],
    allow: [],
  });
  return {
    errors: errors.map(({ message }) => message),
    code: readTexts({ label: 'generated', folder: 'generated', files: result.files }),
    // Addresses of cases are written out.
    lint: findings
      .filter(({ diagnostic }) => diagnostic.code !== 'webhook-is-literal')
      .map(({ diagnostic }) => `${diagnostic.code} ${diagnostic.message}`),
  };
}

let database: Promise<pg.Client> | undefined;

/** All in one database: a side is a transaction that is rolled back. */
async function catalogsAfter(
  metadata: Metadata,
  sql: readonly string[],
): Promise<Record<string, SourceCatalog>> {
  database ??= createTestDatabase(projectFile('schema.sql')).then(async ({ url }) => {
    const client = new pg.Client({ connectionString: url });
    // It is open when the database is dropped.
    client.on('error', () => {});
    await client.connect();
    return client;
  });
  const client = await database;
  await client.query('begin');
  try {
    for (const text of sql) await client.query(text);
    await client.query(SESSION_SETTINGS);
    const query: RunQuery = (text, values) => client.query(text, values && [...values]);
    const catalogs: Record<string, SourceCatalog> = {};
    for (const source of metadata.sources) {
      const { name, tables } = source;
      const enums = tables.filter(({ is_enum }) => is_enum).map(({ table }) => table);
      catalogs[name] = await readConnected(query, enums, loadReadBody, source);
    }
    return catalogs;
  } finally {
    await client.query('rollback');
  }
}

const PERMISSIONS = ['select', 'insert', 'update', 'delete'].map((operation) => `${operation}_permissions`);

/** Changes metadata in place. */
function apply(
  json: { sources: [{ tables: Entry[] }] } & Entry,
  { tables = {}, document = {}, source = {} }: Change,
): void {
  Object.assign(json.sources[0], source);
  const entries = json.sources[0].tables;
  for (const [table, parts] of Object.entries(tables)) {
    let entry = entries.find((each) => each.table === table);
    if (!entry) {
      entry = { table };
      entries.push(entry);
    }
    for (const [key, value] of Object.entries(parts)) {
      if (PERMISSIONS.includes(key)) entry[key] = permissions((entry[key] ?? []) as Role[], value as Entry);
      else entry[key] = merge(entry[key], value);
    }
  }
  for (const [key, value] of Object.entries(document)) {
    if (key === 'functions') Object.assign(json.sources[0], { functions: value });
    else json[key] = merge(json[key], value);
  }
}

interface Role {
  readonly role: string;
  readonly permission: Entry;
}

function permissions(list: readonly Role[], changes: Entry): Role[] {
  const roles = new Map(list.map((each) => [each.role, each]));
  for (const [role, change] of Object.entries(changes)) {
    if (change === null) roles.delete(role);
    else {
      const permission = { ...roles.get(role)?.permission, ...(change as Entry) };
      for (const [key, value] of Object.entries(permission)) if (value === null) delete permission[key];
      roles.set(role, { role, permission });
    }
  }
  return [...roles.values()];
}

/** Lists are joined by `name` or `role_name`; anything else is replaced. */
function merge(before: unknown, after: unknown): unknown {
  if (!Array.isArray(before) || !Array.isArray(after)) return after;
  const nameOf = (each: Entry) => each.name ?? each.role_name ?? each.collection;
  const names = after.map(nameOf);
  return [...before.filter((each) => !names.includes(nameOf(each))), ...after.filter((each) => !each.remove)];
}
