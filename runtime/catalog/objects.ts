/**
 * What the database does by itself, object by object: facts that decide what reading, writing or calling it means, and the
 * objects that it uses. For comparisons of two versions; nothing that is served depends on it.
 *
 * What a function uses is read from its text: every relation and function whose name is a word of it counts, so that what its
 * language and quotes make of the text does not matter. A name that the text puts together at run time is not found.
 */
import { createHash } from 'node:crypto';
import { objectKey } from '../core/names.ts';
import type { DatabaseObject, DatabaseObjects } from './catalog.ts';
import { compareText, sortedRecord } from './order.ts';
import type { RawCatalog } from './raw-catalog.ts';

/** Key of the facts of the database as a whole; names of others have a schema. */
export const DATABASE = 'database';

/**
 * Keys of relations and types are their names; those of functions have `()`, overloads together, and those of other kinds the
 * kind: `public.numbers (sequence)`.
 */
export function functionKey(schema: string, name: string): string {
  return `${objectKey(schema, name)}()`;
}

interface Growing {
  readonly facts: Map<string, string>;
  readonly uses: Set<string>;
  readonly writes: Set<string>;
}

/** By key, sorted, with sorted facts. */
export function describeObjects({
  relations,
  types,
  facts = [],
  texts = [],
  ties = [],
  named = [],
}: RawCatalog): DatabaseObjects {
  const keys = new Map([[0, DATABASE]]);
  const byWord = new Map<string, string[]>();
  const add = (oid: number, name: string, key: string) => {
    keys.set(oid, key);
    // Objects of the database do not see what the metadata declares, which has negative OIDs.
    if (oid < 0) return;
    const word = wordIn(name);
    if (word !== undefined && byWord.get(word)?.includes(key) !== true)
      byWord.set(word, [...(byWord.get(word) ?? []), key]);
  };
  for (const { oid, schema, name } of relations) add(oid, name, objectKey(schema, name));
  for (const { oid, kind, schema, name, row_type: isRow } of types)
    if (['d', 'e', 'r', 'c'].includes(kind) && !isRow && !SYSTEM.test(schema))
      add(oid, name, objectKey(schema, name));
  for (const { oid, schema, name } of texts) add(oid, name, functionKey(schema, name));
  for (const { oid, schema, name, kind } of named) add(oid, name, `${objectKey(schema, name)} (${kind})`);
  const objects = new Map<string, Growing>();
  for (const key of keys.values()) objects.set(key, { facts: new Map(), uses: new Set(), writes: new Set() });
  const find = (oid: number) => objects.get(keys.get(oid) ?? '');
  for (const { oid, name, value } of facts) if (value !== null) find(oid)?.facts.set(name, value);
  for (const { oid, used, is_written } of ties) {
    const key = keys.get(used);
    if (key !== undefined && key !== keys.get(oid)) find(oid)?.[is_written ? 'writes' : 'uses'].add(key);
  }
  for (const { oid, arguments: list, definition } of texts) {
    const object = find(oid)!;
    const text = withoutEstimates(definition ?? '');
    object.facts.set(`body(${list})`, hashOfText(text));
    for (const word of new Set(text.match(/[\p{L}_][\p{L}\p{N}_$]*/gu)))
      for (const key of byWord.get(word.toLowerCase()) ?? []) if (key !== keys.get(oid)) object.uses.add(key);
  }
  return sortedRecord(
    [...objects].map(([key, { facts: own, uses: all, writes }]): [string, DatabaseObject] => [
      key,
      {
        facts: sortedRecord(own),
        ...(all.size > 0 && { uses: [...all].sort(compareText) }),
        ...(writes.size > 0 && { writes: [...writes].sort(compareText) }),
      },
    ]),
  );
}

const SYSTEM = /^(pg_|(information_schema|engine_catalog)$)/;

/** The last word of a name, in small letters: a name of several words is quoted in a text, and its words are found there. */
function wordIn(name: string): string | undefined {
  return name.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_$]*(?=[^\p{L}\p{N}_$]*$)/u)?.[0];
}

/** Without what only the planner of PostgreSQL reads: COST, ROWS and PARALLEL, which follow the language. */
function withoutEstimates(definition: string): string {
  return definition.replace(
    /(\n LANGUAGE \S+\n)( [A-Z][^\n]*)(?=\n)/,
    (_, language: string, attributes: string) => {
      const kept = attributes.replace(/ PARALLEL [A-Z]+| (?:COST|ROWS) [\d.e+-]+/g, '');
      return kept === '' ? language.slice(0, -1) : language + kept;
    },
  );
}

/** Like the hashes that the catalog's statement makes. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
