/**
 * What a statement reads: tables with the columns and by which values of the request they are read, functions, and whether it
 * depends on the time. The functions of PostgreSQL that this project calls itself depend on nothing but settings.
 * @rule Which live queries, and which values of theirs, does a write concern?
 */
import { readsOfRule, type SessionKey } from '../condition/rule-reads.ts';
import { DECLARED_SCHEMA, type QualifiedName } from '../names.ts';
import type { ParameterNode, Sql } from './fragment.ts';
import { positionOf } from './print.ts';
import { type Meaning, meaningOf, type Select, type Visitor, visit, visitParts } from './statement.ts';

/** A column that equals a parameter, by its position among the parameters of the statement. */
export interface ReadKey {
  readonly column: string;
  readonly parameter: number;
}

/** How a table is read at one place: every row that is read there has these values; none: any row may be. */
type ReadPlace = readonly ReadKey[];

interface ReadRelation extends QualifiedName {
  /** Columns that are named, sorted; undefined: whole rows. */
  readonly columns: readonly string[] | undefined;
  readonly places: readonly ReadPlace[];
}

export interface ReadSet {
  /** Sorted by name, as are functions. */
  readonly relations: readonly ReadRelation[];
  readonly functions: readonly QualifiedName[];
  /** Keywords that are the time, and functions without a schema, in rules. Sorted. */
  readonly words: readonly string[];
  /** A text in a rule means the moment at which it is read. */
  readonly hasMoment: boolean;
  /** A rule cannot be read. */
  readonly isUnknown: boolean;
  /** Tables are spread over a cluster, whose writes do not always show in the snapshots of one node. */
  readonly isOfCluster?: true;
}

/** @param parameters of the printed statement */
export function readSetOf(statement: Sql, parameters: readonly ParameterNode[]): ReadSet {
  const { places, functions, words, hasMoment, isUnknown } = notesOf(statement);
  const relations = new Map<string, Mutable<ReadRelation> & { places: ReadPlace[] }>();
  for (const { schema, name, columns, keys } of places) {
    const place = keys.flatMap(({ column, value }) => {
      const parameter = positionOf(value, parameters);
      return parameter === undefined ? [] : [{ column, parameter }];
    });
    const key = JSON.stringify([schema, name]);
    const known = relations.get(key);
    if (!known) relations.set(key, { schema, name, columns, places: [place] });
    else {
      known.places.push(place);
      known.columns = columns && known.columns && [...new Set([...known.columns, ...columns])].sort();
    }
  }
  return {
    relations: sorted(relations),
    functions: sorted(functions),
    words: [...words].sort(),
    hasMoment,
    isUnknown,
  };
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** A table at one place of a statement. */
export interface PlacedRelation extends QualifiedName {
  /** Absent inside rules, and where the rows have no name. */
  readonly alias?: string;
  /** Columns that are named, sorted; undefined: whole rows. */
  readonly columns: readonly string[] | undefined;
  /** Columns that have to equal a parameter. */
  readonly keys: readonly Key[];
  /** Text of the hole of a rule for its rows that is among its conditions; of saved statements. */
  readonly hole?: string | undefined;
}

interface Key {
  readonly column: string;
  readonly value: ParameterNode;
}

/** What a statement reads, place by place. */
export interface ReadNotes {
  readonly places: readonly PlacedRelation[];
  readonly functions: ReadonlyMap<string, QualifiedName>;
  readonly words: ReadonlySet<string>;
  readonly hasMoment: boolean;
  readonly isUnknown: boolean;
}

/** @param isSaved holes are not looked into: what is put in them differs between roles */
export function notesOf(statement: Sql, isSaved = false): ReadNotes {
  const reads = new Reads(isSaved);
  visit(READS, statement, reads);
  return reads;
}

class Reads implements ReadNotes {
  readonly isSaved: boolean;
  readonly functions = new Map<string, QualifiedName>();
  readonly words = new Set<string>();
  hasMoment = false;
  isUnknown = false;
  readonly #places: PlacedRelation[] = [];
  /** Columns by alias, which no other rows of a statement have; undefined: whole rows. */
  readonly #uses = new Map<string, Set<string> | undefined>();

  constructor(isSaved: boolean) {
    this.isSaved = isSaved;
  }

  get places(): readonly PlacedRelation[] {
    return this.#places.map((place) => {
      if (place.alias === undefined) return place;
      const isUsed = this.#uses.has(place.alias);
      const used = this.#uses.get(place.alias);
      return { ...place, columns: isUsed ? used && [...used].sort() : [] };
    });
  }

  addPlace(place: PlacedRelation): void {
    this.#places.push(place);
  }

  /** @param column absent: the whole row */
  addUse(alias: string, column?: string): void {
    const known = this.#uses.has(alias) ? this.#uses.get(alias) : new Set<string>();
    this.#uses.set(alias, column === undefined ? undefined : known?.add(column));
  }

  addFunction({ schema, name }: QualifiedName): void {
    this.functions.set(JSON.stringify([schema, name]), { schema, name });
  }

  addRule({ rule, row }: Meaning<'rule'>): void {
    const reads = readsOfRule(rule.condition);
    const alias = meaningOf(row);
    if (alias?.kind === 'alias') {
      for (const column of reads.row.columns) this.addUse(alias.name, column);
      if (reads.row.isWhole) this.addUse(alias.name);
    } else visit(READS, row, this);
    for (const { schema, name, columns, isWhole, keys } of reads.tables)
      this.addPlace({
        schema,
        name,
        columns: isWhole ? undefined : [...columns].sort(),
        keys: sessionKeys(keys),
      });
    for (const name of reads.functions) this.addFunction(name);
    for (const word of reads.words) this.words.add(word);
    this.hasMoment ||= reads.hasMoment;
    this.isUnknown ||= reads.isUnknown;
  }

  /** Takes what the file of a saved statement says of it. */
  addSaved({ reads }: Meaning<'saved'>): void {
    for (const place of reads.places) {
      this.addPlace(place);
      if (place.alias === undefined) continue;
      if (place.columns === undefined) this.addUse(place.alias);
      else for (const column of place.columns) this.addUse(place.alias, column);
    }
    for (const name of reads.functions.values()) this.addFunction(name);
    for (const word of reads.words) this.words.add(word);
    this.hasMoment ||= reads.hasMoment;
    this.isUnknown ||= reads.isUnknown;
  }
}

const READS: Visitor<Reads> = {
  table: ({ schema, name }, reads) => reads.addPlace({ schema, name, columns: undefined, keys: [] }),
  alias: ({ name }, reads) => reads.addUse(name),
  column: ({ row, name }, reads) => {
    const alias = meaningOf(row);
    if (alias?.kind === 'alias') reads.addUse(alias.name, name);
    else visit(READS, row, reads);
  },
  call: (name, reads, fragment) => {
    // What the SQL of a native query reads is not looked into.
    if (name.schema === DECLARED_SCHEMA) reads.isUnknown = true;
    else reads.addFunction(name);
    visitParts(READS, fragment, reads);
  },
  comparison: inside,
  nested: inside,
  and: inside,
  or: inside,
  guarded: inside,
  constant: inside,
  list: inside,
  rows: inside,
  returning: inside,
  hole: ({ value }, reads) => {
    if (!reads.isSaved) visit(READS, value, reads);
  },
  rule: (meaning, reads) => reads.addRule(meaning),
  saved: (meaning, reads, fragment) => {
    reads.addSaved(meaning);
    visitParts(READS, fragment, reads);
  },
  select: readSelect,
  insert: inside,
  update: inside,
  delete: inside,
  with: inside,
};

function inside(_: unknown, reads: Reads, fragment: Sql): void {
  visitParts(READS, fragment, reads);
}

function readSelect(clauses: Select, reads: Reads): void {
  const { from = [], where = [], distinct = [], having = [], order = [] } = clauses;
  const { columns, group, limit, offset, ending } = clauses;
  for (const { rows, alias, on } of from) {
    const [table, row] = [meaningOf(rows), alias && meaningOf(alias)];
    if (table?.kind === 'table' && row?.kind === 'alias') {
      const { schema, name } = table;
      const keys = where.flatMap((condition) => comparedKeys(condition, row.name, reads.isSaved));
      const hole = reads.isSaved ? holeAmong(where, row.name) : undefined;
      reads.addPlace({
        schema,
        name,
        alias: row.name,
        columns: [],
        keys,
        ...(hole !== undefined && { hole }),
      });
    } else visit(READS, rows, reads);
    if (on) visit(READS, on, reads);
  }
  for (const part of [...distinct, columns, ...where, group, ...having, ...order, limit, offset, ending])
    if (part) visit(READS, part, reads);
}

/** The columns of an alias that a condition demands to equal a parameter. */
export function comparedKeys(condition: Sql, alias: string, isSaved = false): readonly Key[] {
  const meaning = meaningOf(condition);
  switch (meaning?.kind) {
    case 'and':
      return meaning.conditions.flatMap((each) => comparedKeys(each, alias, isSaved));
    case 'nested':
      return comparedKeys(meaning.inner, alias, isSaved);
    case 'hole':
      return isSaved ? [] : comparedKeys(meaning.value, alias);
    case 'rule':
      return isAlias(meaning.row, alias) ? sessionKeys(readsOfRule(meaning.rule.condition).keys) : [];
    case 'comparison': {
      const left = meaningOf(meaning.left);
      const [value, ...others] = meaning.right.nodes;
      const isKey = meaning.operator === '=' && left?.kind === 'column' && isAlias(left.row, alias);
      if (!isKey || value?.kind !== 'parameter' || others.length > 0 || !isKeyType(value.type)) return [];
      return [{ column: left.name, value }];
    }
    default:
      return [];
  }
}

function sessionKeys(keys: readonly SessionKey[]): readonly Key[] {
  return keys.flatMap(({ column, variable: name, type }) =>
    isKeyType(type)
      ? [{ column, value: { kind: 'parameter', source: { from: 'session', name }, type } }]
      : [],
  );
}

/** Arrays are no keys, and neither are types whose length cuts values off. */
function isKeyType(type: string): boolean {
  return !type.includes('[') && !type.includes('(');
}

/** The hole of a rule for the rows of an alias that conditions demand. */
function holeAmong(conditions: readonly Sql[], alias: string): string | undefined {
  for (const condition of conditions) {
    const meaning = meaningOf(condition);
    if (meaning?.kind === 'hole' && meaning.row && isAlias(meaning.row, alias)) return meaning.text;
    const inner = meaning?.kind === 'and' ? holeAmong(meaning.conditions, alias) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function isAlias(row: Sql, name: string): boolean {
  const meaning = meaningOf(row);
  return meaning?.kind === 'alias' && meaning.name === name;
}

function sorted<Value>(byKey: ReadonlyMap<string, Value>): Value[] {
  return [...byKey].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, value]) => value);
}
