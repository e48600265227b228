/**
 * Compares the database objects that a program's SQL uses with a live database, and has the database prepare the SQL
 * itself: what changed, whether it matters, and for which operations.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { RelationReference } from '../../catalog/catalog.ts';
import { objectKey } from '../../core/names.ts';
import { type ProofSubject, proofsOf } from '../../core/program/proof.ts';
import type { GeneratedProgram } from '../../core/program/resolvers.ts';
import { columnType } from '../../core/types.ts';
import { vocabularyOf } from '../../core/vocabulary.ts';
import { DatabaseClient } from '../../database/client.ts';
import { readDatabase } from '../../database/read-database.ts';
import type { ConnectionConfiguration } from '../../database/ways.ts';
import { readDrift } from '../../events/install.ts';
import { distributionChanges } from './distribution.ts';
import { createObserver, type Fact, factKey, factText, fingerprint } from './facts.ts';
import { type FactMap, operationsOf, type ServedOperation } from './operations.ts';
import { prove, subjectText } from './prove.ts';

export interface Verification {
  /** `redefined`: operations work, and views, functions, triggers or foreign keys they meet may do something else. */
  readonly verdict: 'same' | 'harmless' | 'redefined' | 'breaking';
  /** Hash of the objects as the program knows them. */
  readonly expected: string;
  /** Hash of the same objects in the database. */
  readonly found: string;
  readonly changes: readonly CatalogChange[];
  /** Statements that the database was asked to prepare. */
  readonly proved: number;
}

/** A difference between what was compiled with and what is there. */
interface CatalogChange {
  readonly source: string;
  /** `column public.article.title`, or what a refused statement is about. */
  readonly object: string;
  readonly before: string;
  /** Undefined when it is gone. */
  readonly after: string | undefined;
  /** Operations that no longer work, with their roles; empty if the change is harmless. */
  readonly breaks: readonly BrokenOperation[];
}

interface BrokenOperation {
  readonly name: string;
  readonly roles: readonly string[];
}

/** Fingerprint of the database objects that the program's SQL uses. */
export function fingerprintOf(program: GeneratedProgram): string {
  return fingerprint(factsOfAll([...operationsOf(program)].flat()).values());
}

/**
 * Verifies a program against the databases of its sources.
 * @param refused statements that were refused already when the program was built; see `subjectText`
 * @throws as `pg` does when one cannot be reached
 */
export async function verifyProgram(
  program: GeneratedProgram,
  databases: ReadonlyMap<string, ConnectionConfiguration>,
  refused: readonly string[] = [],
): Promise<Verification> {
  const operations = await gather(operationsOf(program));
  const catalogs = new Map(
    await Promise.all(
      [...databases].map(
        async ([source, configuration]) =>
          [source, await readDatabase(configuration, enumTablesOf(program, source))] as const,
      ),
    ),
  );
  const observers = new Map(
    [...catalogs].map(([source, catalog]) => [source, createObserver(catalog, tablesOf(program, source))]),
  );
  const facts = factsOfAll(operations);
  const found: [string, Fact][] = [];
  const changes: CatalogChange[] = [];
  let redefined = false;
  for (const [source, expected] of facts.values()) {
    const observed = observers.get(source)?.(expected);
    if (observed) found.push([source, observed]);
    if (isDeepStrictEqual(observed, expected)) continue;
    const users = operations.filter(
      (operation) =>
        operation.source === source && operation.facts.some((facts) => facts.has(factKey(expected))),
    );
    const broken = users.filter((operation) => isBreaking(expected, observed, operation, program));
    redefined ||= expected.kind === 'definitions';
    changes.push({
      source,
      object: factKey(expected),
      before: factText(expected),
      after: observed && factText(observed),
      breaks: group(broken),
    });
  }
  for (const [source, { distribution }] of catalogs)
    for (const { table, before, after } of distributionChanges(program, source, distribution))
      changes.push({
        source,
        object: `distribution of ${table}`,
        before,
        after,
        breaks: group(operations.filter((each) => each.source === source && each.of === table)),
      });
  const proofs = await refusedStatements(program, databases, operations);
  const known = new Set(refused);
  const drift = await driftOf(program, databases);
  redefined ||= drift.length > 0;
  const all = [...changes, ...proofs.changes.filter(({ object }) => !known.has(object)), ...drift];
  const breaking = all.some(({ breaks }) => breaks.length > 0);
  return {
    verdict: breaking ? 'breaking' : redefined ? 'redefined' : all.length > 0 ? 'harmless' : 'same',
    expected: fingerprint(facts.values()),
    found: fingerprint(found),
    changes: all,
    proved: proofs.count,
  };
}

/** Event triggers of a program that its databases do not have, or have otherwise. They are mended by a start or a reload. */
async function driftOf(
  program: GeneratedProgram,
  databases: ReadonlyMap<string, ConnectionConfiguration>,
): Promise<readonly CatalogChange[]> {
  const changes: CatalogChange[] = [];
  for (const events of program.events?.sources ?? []) {
    const { source } = events;
    const configuration = databases.get(source);
    if (configuration === undefined) continue;
    const client = new DatabaseClient(configuration);
    await client.connect();
    try {
      for (const [name, after] of await readDrift(client, events, vocabularyOf(program)))
        changes.push({ source, object: `event trigger ${name}`, before: 'installed', after, breaks: [] });
    } finally {
      await client.end();
    }
  }
  return changes;
}

/** Milliseconds of work at a stretch: a server that verifies itself answers requests meanwhile. */
const SLICE = 8;

async function gather<Item>(parts: Iterable<readonly Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  let sliceStart = performance.now();
  for (const part of parts) {
    all.push(...part);
    if (performance.now() - sliceStart < SLICE) continue;
    await nextTurn();
    sliceStart = performance.now();
  }
  return all;
}

function tablesOf(program: GeneratedProgram, source: string): ReadonlySet<string> {
  return new Set(
    program.tables.flatMap(({ table }) =>
      table.source.name === source ? [objectKey(table.schema, table.name)] : [],
    ),
  );
}

function enumTablesOf(program: GeneratedProgram, source: string): readonly RelationReference[] {
  return program.tables.flatMap(({ table }) =>
    table.source.name === source && table.enumValues ? [{ schema: table.schema, name: table.name }] : [],
  );
}

function factsOfAll(operations: readonly ServedOperation[]): Map<string, [source: string, fact: Fact]> {
  const bySource = new Map<string, Set<FactMap>>();
  for (const { source, facts } of operations) {
    const known = bySource.get(source) ?? new Set();
    for (const list of facts) known.add(list);
    bySource.set(source, known);
  }
  const all = new Map<string, [string, Fact]>();
  for (const [source, lists] of bySource)
    for (const list of lists)
      for (const [key, fact] of list) all.set(JSON.stringify([source, key]), [source, fact]);
  return new Map([...all].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** True if an operation that relies on the fact breaks. */
function isBreaking(
  expected: Fact,
  observed: Fact | undefined,
  operation: ServedOperation,
  program: GeneratedProgram,
): boolean {
  switch (expected.kind) {
    case 'table':
      return observed === undefined || (observed as typeof expected).readOnly.includes(operation.kind);
    case 'column':
      return (
        observed === undefined || isBreakingColumn(expected, observed as typeof expected, operation, program)
      );
    case 'required columns': {
      const added = (observed as typeof expected | undefined)?.columns.filter(
        (column) => !expected.columns.includes(column) && !operation.writes.has(column),
      );
      return added === undefined || added.length > 0;
    }
    case 'key':
      // Named in on_conflict, or what makes one row of many.
      return true;
    case 'foreign key':
      // The row at the other end may be missing, where the API promises one.
      return true;
    case 'function':
      return true;
    case 'domain':
      return true;
    case 'uniqueness':
      // Rows would be repeated, or shown because another one may be seen.
      return true;
    case 'definitions':
      return false;
    case 'insert':
    case 'foreign keys':
      // Other effects of the database on a new row do not matter.
      return observed === undefined;
    case 'enum':
    case 'enum values':
      // Values travel as texts; a rule that names a lost one is refused when it is prepared.
      return observed === undefined;
  }
}

type ColumnFact = Extract<Fact, { kind: 'column' }>;

function isBreakingColumn(
  before: ColumnFact,
  after: ColumnFact,
  operation: ServedOperation,
  program: GeneratedProgram,
): boolean {
  if (!isSameScalar(before.type, after.type, operation.source, program)) return true;
  const isOwn = before.table === operation.of;
  switch (operation.kind) {
    case 'insert':
    case 'update':
      return isOwn && operation.writes.has(before.column) && after.readOnly && !before.readOnly;
    case 'delete':
      return false;
    default:
      // A null where the API promises a value.
      return before.notNull && !after.notNull;
  }
}

function isSameScalar(before: string, after: string, sourceName: string, program: GeneratedProgram): boolean {
  if (before === after) return true;
  const source = program.sources.find(({ name }) => name === sourceName)!;
  // A user-defined type that the program does not know counts as changed.
  if (/^[^.]*\./.test(after) && !Object.hasOwn(source.types, after.replace(/\[\]$/, ''))) return false;
  const [first, second] = [columnType(source, before), columnType(source, after)];
  return (
    first.scalar === second.scalar && first.family === second.family && !first.element === !second.element
  );
}

/** Operations by name, with every role that has them. */
function group(operations: readonly Pick<ServedOperation, 'name' | 'role'>[]): BrokenOperation[] {
  const roles = new Map<string, Set<string>>();
  for (const { name, role } of operations) roles.set(name, (roles.get(name) ?? new Set()).add(role));
  return [...roles].map(([name, of]) => ({ name, roles: [...of].sort() }));
}

/** Statements that the databases refuse to prepare, even if the catalogs are equal. */
async function refusedStatements(
  program: GeneratedProgram,
  databases: ReadonlyMap<string, ConnectionConfiguration>,
  operations: readonly ServedOperation[],
): Promise<{ readonly count: number; readonly changes: CatalogChange[] }> {
  // Columns are compared one by one already.
  const proofs = proofsOf(program).filter(({ subjects }) => subjects.some(({ kind }) => kind !== 'columns'));
  const { count, refusals } = await prove(proofs, databases);
  const changes = refusals.flatMap(({ proof: { source, subjects }, error }) =>
    subjects.map((subject) => ({
      source,
      object: subjectText(subject),
      before: 'accepted',
      after: `refused: ${error.message}`,
      breaks: group(operationsWith(subject, source, operations)),
    })),
  );
  return { count, changes };
}

function operationsWith(
  subject: ProofSubject,
  source: string,
  operations: readonly ServedOperation[],
): Pick<ServedOperation, 'name' | 'role'>[] {
  if (subject.kind === 'saved operation')
    return subject.roles.map((role) => ({
      name: `saved operation ${subject.collection}/${subject.name}`,
      role,
    }));
  return operations.filter((operation) => {
    if (operation.source !== source) return false;
    if (subject.kind === 'function') return operation.kind === 'function' && operation.of === subject.name;
    if (operation.of !== subject.table) return false;
    if ('role' in subject) return operation.kind === subject.operation && operation.role === subject.role;
    return operation.kind === 'select';
  });
}

/** Roles that are named one by one; of more, the first ones and how many. */
const NAMED_ROLES = 6;

function rolesText(roles: readonly string[]): string {
  if (roles.length <= NAMED_ROLES) return roles.join(', ');
  return `${roles.slice(0, NAMED_ROLES - 1).join(', ')} and ${roles.length - NAMED_ROLES + 1} more roles`;
}

/** The verdict for a person, a change a line. */
export function verificationText({ verdict, changes, expected }: Verification): string {
  const head = {
    same: `same: tables, columns, keys, types, and the definitions of views, functions and triggers that the SQL uses are as they were (${expected.slice(0, 12)}). Not compared: functions that these call, defaults, CHECK constraints, policies, rows`,
    harmless: 'changed, but harmless: every operation works as it did',
    redefined: 'redefined: every operation works, and may do something else: read what is defined otherwise',
    breaking: 'breaks operations',
  }[verdict];
  const several = new Set(changes.map(({ source }) => source)).size > 1;
  const lines = changes.flatMap(({ source, object, before, after, breaks }) => [
    `  ${several ? `${source} · ` : ''}${object}: ${before} → ${after ?? 'gone'}${breaks.length > 0 ? '' : /^(definitions of|event trigger) /.test(object) ? ' (redefined)' : ' (harmless)'}`,
    ...breaks.map(({ name, roles }) => `    breaks ${name}  ${rolesText(roles)}`),
  ]);
  return [head, ...lines].map((line) => `${line}\n`).join('');
}
