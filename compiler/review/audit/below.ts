/** What two versions of a database do otherwise, object by object, as far as generated code says it. */

import { type FactKind, factName, readFactName } from '../../../runtime/catalog/object-facts.ts';
import { DATABASE, hashOfText } from '../../../runtime/catalog/objects.ts';
import type { PlannedDatabase, PlannedObject } from '../../model/plan.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Verdict } from './finding.ts';
import { readForeignKey } from './foreign-key.ts';

export type DatabaseOperation = 'select' | 'insert' | 'update' | 'delete';

/** A fact of an object that is another. */
export interface ObjectChange {
  /** `the check ticket_status_check is gone`. */
  readonly text: string;
  /** Absent: names or places of objects are others. */
  readonly kind?: FactKind;
  /** For permissions on the object itself; what leads to it from elsewhere changes its meaning. */
  readonly verdict: Verdict;
  /** Operations on the object that the fact is about. */
  readonly operations: readonly DatabaseOperation[];
  /** The column that it is about. */
  readonly column?: string;
  /** An update of other columns has nothing to do with it. */
  readonly updated?: readonly string[];
  readonly before?: string;
  readonly after?: string;
}

interface Kind {
  readonly words: string;
  readonly operations: readonly DatabaseOperation[];
  /** Of a fact that is gone, and of one that is new; `changed meaning` unless it is said. */
  readonly gone?: Verdict;
  readonly added?: Verdict;
  /** It matters by the value of its column alone. */
  readonly ofColumn?: true;
  /** Versions of PostgreSQL may write the same text otherwise. */
  readonly printed?: true;
}

const ALL: readonly DatabaseOperation[] = ['select', 'insert', 'update', 'delete'];
const WRITES: readonly DatabaseOperation[] = ['insert', 'update', 'delete'];
const NEW_ROWS: readonly DatabaseOperation[] = ['insert', 'update'];
/** What is refused no longer can be written now. */
const REFUSES = { gone: 'wider', added: 'narrower' } as const;

const KINDS: Readonly<Record<FactKind, Kind>> = {
  query: { words: 'the query', operations: ALL },
  options: { words: 'the options of the view', operations: ALL },
  owner: { words: 'the owner', operations: ALL },
  'row security': { words: 'row security', operations: ALL, gone: 'wider', added: 'narrower' },
  policy: { words: 'the policy', operations: ALL },
  generated: {
    ...{ words: 'the expression of the generated column', operations: ALL },
    ...{ ofColumn: true, printed: true },
  },
  collation: { words: 'the collation of', operations: ALL, ofColumn: true },
  type: { words: 'the type of', operations: ALL, ofColumn: true },
  size: { words: 'the size of', operations: NEW_ROWS, ...REFUSES, ofColumn: true },
  'foreign column': { words: 'the foreign column of', operations: ALL, ofColumn: true },
  bounds: { words: 'the bounds of the partition', operations: NEW_ROWS, ...REFUSES },
  privilege: { words: 'what the account may do:', operations: ALL },
  'no execute': { words: 'that the account may not call it', operations: ALL },
  'no usage': { words: 'that texts of functions find nothing in the schema', operations: ALL },
  definition: { words: 'the definition', operations: ALL },
  'operator class': { words: 'the operator class', operations: ALL },
  operator: { words: 'the operator', operations: ALL },
  cast: { words: 'the cast', operations: ALL },
  'event trigger': { words: 'the event trigger', operations: ALL },
  setting: { words: 'the setting', operations: ALL },
  index: { words: 'the index', operations: NEW_ROWS },
  child: { words: 'the partition or child', operations: ALL },
  'foreign server': { words: 'the foreign server', operations: ALL },
  trigger: { words: 'the trigger', operations: WRITES },
  rule: { words: 'the rewrite rule', operations: WRITES },
  check: { words: 'the check', operations: NEW_ROWS, ...REFUSES, printed: true },
  exclusion: { words: 'the exclusion constraint', operations: NEW_ROWS, ...REFUSES, printed: true },
  unique: { words: 'the unique index', operations: NEW_ROWS, ...REFUSES },
  'foreign key': { words: 'the foreign key', operations: NEW_ROWS, ...REFUSES },
  'referenced by': { words: 'the foreign key of', operations: ['update', 'delete'], ...REFUSES },
  default: { words: 'the default of', operations: ['insert'] },
  identity: { words: 'the identity of', operations: NEW_ROWS },
  required: { words: 'that an insert has to give', operations: ['insert'], ...REFUSES },
  base: { words: 'the type below', operations: ALL },
  'not null': { words: 'NOT NULL of', operations: NEW_ROWS, ...REFUSES, ofColumn: true },
  volatile: { words: 'volatility', operations: ALL },
  body: { words: 'the function', operations: ALL },
};

/** The objects of a source in two versions; undefined where one does not say what its database does. */
export interface DatabasePair {
  readonly before: PlannedDatabase;
  readonly after: PlannedDatabase;
  readonly changes: ReadonlyMap<string, readonly ObjectChange[]>;
}

/** The databases that both versions describe, by source. */
export function databasePairs(base: GeneratedCode, head: GeneratedCode): Map<string, DatabasePair> {
  const versionOf = (code: GeneratedCode, source: string) =>
    code.program.sources.find(({ name }) => name === source)?.postgres;
  return new Map(
    [...head.databases].flatMap(([source, after]) => {
      const before = base.databases.get(source);
      if (!before) return [];
      const versions = [versionOf(base, source), versionOf(head, source)] as const;
      return [[source, { before, after, changes: changesOf(before, after, versions) }]];
    }),
  );
}

type Versions = readonly [number | undefined, number | undefined];

function changesOf(
  before: PlannedDatabase,
  after: PlannedDatabase,
  versions: Versions,
): Map<string, ObjectChange[]> {
  const found = new Map<string, ObjectChange[]>();
  for (const [key, now] of Object.entries(after.objects)) {
    const was = before.objects[key];
    const [one, other] =
      was && key === DATABASE ? [withoutNew(was, after), withoutNew(now, before)] : [was, now];
    const facts = one ? factChanges(one, other, versions) : [];
    const changes = was
      ? [...facts, ...columnChanges(was, now), ...(facts.length > 0 ? [] : nameChanges(key, was, now))]
      : [];
    if (changes.length > 0) found.set(key, changes);
  }
  for (const key of swappedTables(before, after))
    found.set(key, [
      ...(found.get(key) ?? []),
      moved(`it may be a table that was called otherwise: the order of tables with its columns is another`),
    ]);
  return found;
}

/** Without schemas that the account may not use and of which the other version has no object: their names are new, or gone. */
function withoutNew(object: PlannedObject, { objects }: PlannedDatabase): PlannedObject {
  const facts = Object.entries(object.facts).filter(([fact]) => {
    const { kind, name: schema } = readFactName(fact);
    return kind !== 'no usage' || Object.keys(objects).some((key) => key.startsWith(`${schema}.`));
  });
  return { ...object, facts: Object.fromEntries(facts) };
}

function factChanges(was: PlannedObject, now: PlannedObject, versions: Versions): ObjectChange[] {
  const names = new Set([...Object.keys(was.facts), ...Object.keys(now.facts)]);
  return [...names].sort().flatMap((fact): ObjectChange[] => {
    const [before, after] = [was.facts[fact], now.facts[fact]];
    if (before === after || isHashOf(before, after)) return [];
    const { kind: kindName, name } = readFactName(fact);
    const kind = KINDS[kindName];
    // A column that is new or gone is compared as that.
    if (kind.ofColumn && [was, now].some(({ columns }) => columns && !columns.includes(name))) return [];
    const subject = [kind.words, name].filter(Boolean).join(' ');
    const isHash = HASH.test(before ?? after ?? '');
    const shown = isHash
      ? {}
      : { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
    const key = kindName === 'referenced by' ? readForeignKey(after ?? before!) : undefined;
    const change = (text: string, verdict: Verdict): ObjectChange => ({
      ...{ text: `${subject} ${text}`, kind: kindName, verdict, operations: kind.operations, ...shown },
      ...(kind.ofColumn && { column: name }),
      ...(key && { updated: key.targetColumns }),
    });
    if (before === undefined) return [change('is new', kind.added ?? 'changed meaning')];
    if (after === undefined) return [change('is gone', kind.gone ?? 'changed meaning')];
    if ((isHash || kind.printed) && versions[0] !== versions[1])
      return [
        change(
          `is printed by PostgreSQL ${versions[1]}, and was by ${versions[0]}: whether it is another is not known`,
          'undecidable',
        ),
      ];
    return [change('is another', 'changed meaning')];
  });
}

const HASH = /^[0-9a-f]{32}/;

/** Earlier compilers wrote the hash of what is a text now. */
function isHashOf(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && HASH.test(before) && hashOfText(after) === before;
}

/** Objects by whose names the text of a function finds others than before. */
function nameChanges(key: string, was: PlannedObject, now: PlannedObject): ObjectChange[] {
  if (!key.endsWith('()')) return [];
  const beyond = (one: PlannedObject, other: PlannedObject) =>
    [...(one.uses ?? [])].filter((name) => !other.uses?.includes(name));
  return [
    ...beyond(now, was).map((name) => moved(`its text may mean ${name}, which was not there`)),
    ...beyond(was, now).map((name) => moved(`its text may have meant ${name}, which is gone`)),
  ];
}

function moved(text: string): ObjectChange {
  return { text, verdict: 'changed meaning', operations: ALL };
}

/**
 * Columns that both versions have at other places: migrations that rename columns crosswise leave the places as they are. A
 * database that was restored closes gaps of dropped columns, which keeps the order.
 */
function columnChanges(
  { columns: was = [] }: PlannedObject,
  { columns: now = [], facts }: PlannedObject,
): ObjectChange[] {
  const shared = now.filter((name) => name !== null && was.includes(name));
  const inOrder = was.filter((name) => name !== null && now.includes(name));
  const isOrdered = shared.every((name, index) => name === inOrder[index]);
  const renamed = shared.filter((name) => {
    const earlier = was[now.indexOf(name)];
    if (earlier === name || earlier === undefined || earlier === null) return false;
    return !isOrdered || !now.includes(earlier);
  });
  // A column that was dropped leaves its place empty: one of its name elsewhere was made later, with other values unless they
  // are generated.
  const remade = shared.filter(
    (name) =>
      !renamed.includes(name) &&
      now[was.indexOf(name)] === null &&
      !(name !== null && Object.hasOwn(facts, factName('generated', name))),
  );
  return [
    ...renamed.map((name) => ({
      ...moved(`the column ${name} is what was called ${was[now.indexOf(name)]}`),
      column: name!,
    })),
    ...remade.map((name) => ({
      ...moved(`the column ${name} is not the one that was there: that one is dropped`),
      column: name!,
    })),
  ];
}

/** Tables with the same columns whose ages are in another order, and tables that are younger than a new one with their columns. */
function swappedTables(before: PlannedDatabase, after: PlannedDatabase): string[] {
  const groups = new Map<string, string[]>();
  const columnsIn = ({ objects }: PlannedDatabase, key: string) => JSON.stringify(objects[key]?.columns);
  for (const key of after.created) {
    const columns = columnsIn(after, key);
    if (before.objects[key] && columnsIn(before, key) !== columns) continue;
    groups.set(columns, [...(groups.get(columns) ?? []), key]);
  }
  return [...groups.values()].flatMap((keys) => {
    const known = keys.filter((key) => before.objects[key]);
    const earlier = before.created.filter((key) => known.includes(key));
    const renamed = keys.findIndex((key) => !before.objects[key]);
    return known.filter(
      (key, index) => key !== earlier[index] || (renamed !== -1 && renamed < keys.indexOf(key)),
    );
  });
}

/**
 * Objects that reading (or, with `isWritten`, also writing) an object leads to, itself included, in either version. A volatile
 * function may write what it uses.
 */
export function objectsBelow(
  { before, after }: DatabasePair,
  start: string,
  isWritten: boolean,
): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const versions = [before.objects, after.objects];
  const writes = (key: string) =>
    versions.some((objects) => objects[key] && 'volatile' in objects[key].facts);
  const visit = (key: string, written: boolean): void => {
    const all = key.endsWith('()') ? writes(key) : written;
    if (found.has(key) && (found.get(key) || !all)) return;
    found.set(key, all);
    for (const objects of versions) {
      const object = objects[key];
      if (!object) continue;
      // Writes of a view are writes of what it shows.
      const passes = key.endsWith('()') || 'query' in object.facts;
      for (const next of object.uses ?? []) visit(next, all && passes);
      if (all) for (const next of object.writes ?? []) visit(next, true);
    }
  };
  visit(start, isWritten);
  return found;
}
