/** The form of a mutation: what is refused before anything runs, and how objects hang together. */
import { type Relationship, tableNamed } from '../queries/project.ts';
import { BARE } from './permissions.ts';
import type { Changes, InsertObject, MutationField, Nested, Related as RelatedChanges } from './request.ts';
import { isParent } from './tables.ts';

/** The request fails, at a path. */
export class Refused extends Error {
  readonly codes: ReadonlySet<string>;
  readonly path: string;

  constructor(codes: Iterable<string>, path: string) {
    super(path);
    this.codes = new Set(codes);
    this.path = path;
  }
}

function rootName(field: MutationField): string {
  if (field.kind === 'call') return field.function;
  const { table, kind } = field;
  const [verb, suffix] = {
    insert: ['insert', ''],
    'insert one': ['insert', '_one'],
    update: ['update', ''],
    'update by key': ['update', '_by_pk'],
    'update many': ['update', '_many'],
    delete: ['delete', ''],
    'delete by key': ['delete', '_by_pk'],
  }[kind] as [string, string];
  return `${verb}_${table}${suffix}`;
}

/** Path of a root field's arguments. */
export function argumentsPath(field: MutationField): string {
  return `$.selectionSet.${rootName(field)}.args`;
}

/** @throws Refused for what is wrong whatever is in the database */
export function checkForm(field: MutationField): void {
  const path = argumentsPath(field);
  switch (field.kind) {
    case 'insert':
      for (const [index, object] of field.objects.entries())
        checkObject(field.table, object, [], `${path}.objects[${index}]`);
      return;
    case 'insert one':
      checkObject(field.table, field.objects[0]!, [], `${path}.object`);
      return;
    case 'update':
    case 'update by key':
      checkChanges(field.table, field, path);
      return;
    case 'update many':
      for (const [index, entry] of field.entries.entries())
        checkChanges(field.table, entry, `${path}.updates[${index}]`);
  }
}

function checkChanges(table: string, { changes, related }: Changes, path: string): void {
  const names = changes.map(({ column }) => column);
  if (new Set(names).size < names.length) throw new Refused(['validation-failed'], path);
  for (const each of related) {
    const { relationship, target, updates, insert } = each;
    for (const [index, update] of updates.entries())
      checkChanges(target, update, updatePath(path, each, index));
    const theirs = relationshipNamed(table, relationship).columns.map(([, other]) => other);
    for (const [index, { columns }] of (insert?.objects ?? []).entries())
      if (theirs.some((name) => Object.hasOwn(columns, name)))
        throw new Refused(['validation-failed'], `${insertPath(path, each)}[${index}]`);
  }
}

/** Path of an update of related rows; `path` is that of the update whose rows they are related to. */
export function updatePath(path: string, { relationship, kind }: RelatedChanges, index: number): string {
  return `${path}.related.${relationship}.update${kind === 'object' ? '' : `[${index}]`}`;
}

export function deletePath(path: string, { relationship }: RelatedChanges): string {
  return `${path}.related.${relationship}.delete`;
}

/** Path of all rows together. */
export function insertPath(path: string, { relationship }: RelatedChanges): string {
  return `${path}.related.${relationship}.insert.data`;
}

export function relationshipNamed(table: string, wanted: string): Relationship {
  return tableNamed(BARE, table).relationships.find(({ name }) => name === wanted)!;
}

/** `given`: columns that the parent determines. */
function checkObject(table: string, object: InsertObject, given: readonly string[], path: string): void {
  const determined = new Set([...given, ...Object.keys(object.columns)]);
  const [parents, children] = split(table, object);
  for (const { nested, pairs } of parents) {
    if (pairs.some(([own]) => determined.has(own)))
      throw new Refused(['validation-failed'], `${path}.${nested.relationship}`);
    for (const [own] of pairs) determined.add(own);
    checkObject(nested.target, nested.objects[0]!, [], `${path}.${nested.relationship}.data`);
  }
  for (const { nested, pairs } of children) {
    const others = pairs.map(([, other]) => other);
    const data = `${path}.${nested.relationship}.data`;
    const placed = nested.objects.map((child, index) => ({
      child,
      place: nested.kind === 'object' ? data : `${data}[${index}]`,
    }));
    for (const { child, place } of placed)
      if (others.some((other) => Object.hasOwn(child.columns, other)))
        throw new Refused(['validation-failed'], place);
    for (const { child, place } of placed) checkObject(nested.target, child, others, place);
  }
}

/** What is nested in an object, and how its rows are related. */
export interface Related {
  readonly nested: Nested;
  readonly pairs: Relationship['columns'];
  readonly isParent: boolean;
}

/** What is inserted before the row, and what after it. */
export function split(table: string, object: InsertObject): [parents: Related[], children: Related[]] {
  const all = object.nested
    .filter(({ objects }) => objects.length > 0)
    .map((nested): Related => {
      const relationship = relationshipNamed(table, nested.relationship);
      return { nested, pairs: relationship.columns, isParent: isParent(relationship) };
    });
  return [all.filter((each) => each.isParent), all.filter((each) => !each.isParent)];
}
