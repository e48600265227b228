/** Lists of entries, one bad entry costing only itself: it is reported and left out, and the paths of its neighbours stay. */
import { messages } from '../core/diagnostics/catalogue.ts';
import type { Located } from '../core/json/json.ts';
import { type Codec, INVALID, mapNames, type Reading } from './codec.ts';
import { mapItems, missingKey } from './combinators.ts';
import type { Dependent, Walk } from './references.ts';
import { describeType } from './values.ts';

/** Items that are found by a key; each key occurs once. */
interface Keyed<Item> {
  /** The items in words, plural: `select permissions`. */
  readonly kind: string;
  /** The name of the item in messages. */
  readonly key: (item: Item) => string;
  /** The sort key of exports: the key unless given; false: the list keeps its order. */
  readonly order?: false | ((item: Item) => string | readonly string[]);
  /** The item as lists of dependents name it. Absent: it belongs to another object, or needs none. */
  readonly dependent?: (item: Item, place: Walk['place']) => Dependent;
}

/** A codec of a list of entries. */
export type EntriesCodec<Item> = Codec<readonly (Item & Located)[]>;

/** Entries with their paths, in the order given. An absent list is empty. */
export function locatedEntries<Item extends object>(item: Codec<Item>): EntriesCodec<Item> {
  return {
    shape: { kind: 'list', item, nonEmpty: false },
    absent: () => [],
    read: (input, reading) => readItems(item, input, reading),
    write: (values) => (values.length === 0 ? undefined : values.map((value) => item.write(value) ?? null)),
    ...(item.mapNames && {
      mapNames: (values, walk) => mapItems(values, (value) => mapEntry(item, value, walk)),
    }),
  };
}

/** Entries with unique keys: the first entry of each key counts. */
export function keyedEntries<Item extends object>(item: Codec<Item>, keyed: Keyed<Item>): EntriesCodec<Item> {
  const list = locatedEntries(item);
  const { order = keyed.key, dependent } = keyed;
  return {
    ...list,
    ...(dependent && {
      mapNames: (values, walk) => {
        const kept = values.flatMap((value) => {
          const inside = walk.enter(dependent(value, walk.place));
          return inside === null ? [] : [mapEntry(item, value, inside)];
        });
        const isSame = kept.length === values.length && kept.every((value, index) => value === values[index]);
        return isSame ? values : kept;
      },
    }),
    read: (input, reading) => withoutDuplicates(readItems(item, input, reading), keyed, reading),
    ...(order !== false && {
      inOrder: (values) => mapItems(inOrder(values, order), (value) => itemInOrder(item, value)),
    }),
  };
}

/** The same list, exported even if it is empty. */
export function printedEntries<Item>(list: EntriesCodec<Item>): EntriesCodec<Item> {
  return { ...list, write: (values) => list.write(values) ?? [] };
}

/** The same list, exported even if it is empty, and reported if it is absent; then it is empty. */
export function requiredEntries<Item>(list: EntriesCodec<Item>): EntriesCodec<Item> {
  return {
    ...printedEntries(list),
    absent: (reading, key) => {
      reading.problem(missingKey(key));
      return [];
    },
  };
}

/** An entry on its own, with its path. */
export function located<Value extends object>(codec: Codec<Value>): Codec<Value & Located> {
  return {
    ...(codec as Codec<Value & Located>),
    read(input, reading) {
      const value = codec.read(input, reading);
      return value === INVALID ? INVALID : { ...value, path: reading.path };
    },
  };
}

function mapEntry<Item extends object>(
  codec: Codec<Item>,
  entry: Item & Located,
  walk: Walk,
): Item & Located {
  const mapped = mapNames(codec, entry, walk);
  return mapped === entry ? entry : { ...mapped, path: entry.path };
}

function readItems<Item extends object>(
  item: Codec<Item>,
  input: unknown,
  reading: Reading,
): readonly (Item & Located)[] {
  if (input === null || input === undefined) return [];
  if (!Array.isArray(input)) {
    reading.problem(describeType('[]', input));
    return [];
  }
  const entry = located(item);
  return input.flatMap((given, index) => {
    // Items that are undefined were reported where they were included.
    const value = given === undefined ? INVALID : reading.inside(index, entry, given);
    return value === INVALID ? [] : [value];
  });
}

/** The entries with the later ones of equal key left out, and reported together at the first of them. */
function withoutDuplicates<Item extends Located>(
  items: readonly Item[],
  { kind, key }: Keyed<Item>,
  reading: Reading,
): readonly Item[] {
  const seen = new Set<string>();
  const [kept, repeated]: [Item[], Item[]] = [[], []];
  for (const item of items) {
    const list = seen.has(key(item)) ? repeated : kept;
    list.push(item);
    seen.add(key(item));
  }
  if (repeated[0] !== undefined) {
    const names = [...new Set(repeated.map(key))].join(', ');
    reading.diagnostic(messages.duplicateDeclaration({ kind, names }), repeated[0].path);
  }
  return kept;
}

/** Entries that are known to be in order, their lists included. */
const known = new WeakSet<object>();

function itemInOrder<Item extends object>(codec: Codec<Item>, item: Item & Located): Item & Located {
  if (codec.inOrder === undefined || known.has(item)) return item;
  const ordered = codec.inOrder(item) as Item & Located;
  known.add(ordered);
  return ordered;
}

/** Sorted by a text or a list of texts, in code unit order, independent of the locale. The same list if it was sorted. */
function inOrder<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string | readonly string[],
): readonly Item[] {
  // U+0000 occurs in no name, and sorts before everything that does.
  const keyed = items.map((item) => ({ item, key: [keyOf(item)].flat().join('\u0000') }));
  if (keyed.every(({ key }, index) => index === 0 || keyed[index - 1]!.key <= key)) return items;
  keyed.sort((left, right) => (left.key < right.key ? -1 : left.key > right.key ? 1 : 0));
  return keyed.map(({ item }) => item);
}
