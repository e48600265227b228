/**
 * Cuts an answer at the places of joins; the rest of the text stays unchanged. Tuples that occur more than once are
 * looked up once.
 */
import { JsonScanner } from '../json/scanner.ts';
import type { JoinTree, PlannedJoin } from './join.ts';

/** A result to be put in; `index` counts the tuples of the join, undefined where a value is null. */
interface Hole {
  readonly join: PlannedJoin;
  index: number | undefined;
}

/** Texts of an answer with holes between them. */
export type Spliced = readonly (string | Hole)[];

/** The distinct tuples of a join, in the order of their first occurrence; an empty one stands for values that no row has. */
export interface Tuples {
  readonly list: readonly (readonly string[])[];
  /** @param values undefined where one is null @returns undefined where the result is null */
  readonly add: (values: readonly string[] | undefined) => number | undefined;
}

/** Collects the tuples of every join of a request. */
export type CollectTuples = (join: PlannedJoin) => Tuples;

export function createTuples({ encode, required }: PlannedJoin): Tuples {
  const list: (readonly string[])[] = [];
  const known = new Map<string, number>();
  let nothing: number | undefined;
  return {
    list,
    add: (values) => {
      const encoded = values && encode ? encode(values) : values;
      if (encoded === undefined) {
        if (!required) return undefined;
        // A tuple without values: they are null in SQL, which nothing equals.
        nothing ??= list.push([]) - 1;
        return nothing;
      }
      const key = encoded.length === 1 ? encoded[0]! : JSON.stringify(encoded);
      const index = known.get(key);
      if (index !== undefined) return index;
      list.push(encoded);
      known.set(key, list.length - 1);
      return list.length - 1;
    },
  };
}

/** @throws MalformedJson */
export function splice(text: string, tree: JoinTree, collect: CollectTuples): Spliced {
  const scanner = new JsonScanner(text);
  const parts: (string | Hole)[] = [];
  let copied = 0;
  const copy = (end: number) => {
    if (end > copied) parts.push(text.slice(copied, end));
    copied = end;
  };

  function readValue(place: JoinTree): void {
    if (scanner.atList) scanner.eachItem(() => readValue(place));
    else if (scanner.atObject) {
      if (place.hidden.size > 0 || place.omitted.size > 0) readObjectWithHidden(place);
      else scanner.eachMember((key) => readMember(place, key));
    } else scanner.skip();
  }

  function readMember(place: JoinTree, key: string): void {
    const join = place.tuples.get(key);
    const below = place.below.get(key);
    const rename = place.renamed.get(key);
    if (join) readTuple(join);
    else if (rename) readName(rename);
    else if (below) readValue(below);
    else scanner.skip();
  }

  function readTuple(join: PlannedJoin): void {
    scanner.peek();
    copy(scanner.position);
    const values: string[] = [];
    const isThere = scanner.atList;
    if (isThere) scanner.eachItem(() => values.push(scanner.slice()));
    else scanner.skip();
    parts.push({ join, index: indexOf(join, isThere ? values : undefined) });
    copied = scanner.position;
  }

  function readName(rename: (name: string) => string): void {
    scanner.peek();
    copy(scanner.position);
    const name = scanner.slice();
    parts.push(name.startsWith('"') ? JSON.stringify(rename(JSON.parse(name) as string)) : name);
    copied = scanner.position;
  }

  function indexOf(join: PlannedJoin, values: readonly string[] | undefined): number | undefined {
    return collect(join).add(values === undefined || values.includes('null') ? undefined : values);
  }

  /** Copies the members of an object one by one, without the hidden ones. */
  function readObjectWithHidden(place: JoinTree): void {
    const found = new Map<PlannedJoin, { readonly hole: Hole; readonly values: string[] }>();
    let isFirst = true;
    const separate = () => {
      if (!isFirst) parts.push(',');
      isFirst = false;
    };
    scanner.peek();
    copy(scanner.position + 1);
    scanner.eachMember((key, start) => {
      if (place.omitted.has(key)) {
        scanner.skip();
        return;
      }
      const hidden = place.hidden.get(key);
      if (!hidden) {
        separate();
        copied = start;
        readMember(place, key);
        copy(scanner.position);
        return;
      }
      const { join, index } = hidden;
      let known = found.get(join);
      if (!known) {
        known = { hole: { join, index: undefined }, values: [] };
        found.set(join, known);
        separate();
        parts.push(`${JSON.stringify(join.responseName)}:`, known.hole);
      }
      known.values[index] = scanner.slice();
    });
    copied = scanner.position - 1;
    for (const [join, { hole, values }] of found) {
      const isComplete = values.length === join.hidden.length && !values.includes(undefined as never);
      if (isComplete) hole.index = indexOf(join, values);
    }
  }

  readValue(tree);
  scanner.expectEnd();
  copy(text.length);
  return parts;
}

/** Results by join and tuple. */
export type JoinResults = ReadonlyMap<PlannedJoin, readonly Spliced[]>;

/** Puts results into their holes. */
export function fill(spliced: Spliced, results: JoinResults): string {
  let text = '';
  for (const part of spliced) {
    if (typeof part === 'string') text += part;
    else if (part.index === undefined) text += 'null';
    else text += fill(results.get(part.join)?.[part.index] ?? NOTHING, results);
  }
  return text;
}

const NOTHING: Spliced = ['null'];
