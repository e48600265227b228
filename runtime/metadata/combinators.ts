/** Codecs made of codecs: objects, lists, records, defaults, values that may be written in several forms. */
import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject, sortKeys } from '../core/json/json.ts';
import type { AnyCodec, Codec, Fields, OptionalCodec, Reading, TypeOf } from './codec.ts';
import { INVALID } from './codec.ts';
import type { Walk } from './references.ts';
import { describeType } from './values.ts';

type OptionalKeys<F> = {
  [Key in keyof F]: F[Key] extends { readonly isOptional: true } ? Key : never;
}[keyof F];

/** The type of an object with these fields. */
export type ObjectOf<F extends Fields> = {
  readonly [Key in keyof F as Key extends OptionalKeys<F> ? never : Key]: TypeOf<F[Key]>;
} & {
  readonly [Key in keyof F as Key extends OptionalKeys<F> ? Key : never]?: Exclude<TypeOf<F[Key]>, undefined>;
} extends infer Combined
  ? { [Key in keyof Combined]: Combined[Key] }
  : never;

/** A codec of an object, with the codecs of its fields. */
export interface ObjectCodec<Value, F extends Fields = Fields> extends Codec<Value> {
  readonly fields: F;
  write(value: Value): JsonObject;
}

export interface ObjectOptions {
  /** Heading of its section in the reference. */
  readonly title?: string;
  /** Reports the keys that are not known; `unknown-key` warnings unless given. */
  readonly reportUnknown?: (keys: readonly string[], known: readonly string[], reading: Reading) => void;
}

/** An object with exactly these keys, exported in this order; undefined properties are left out. */
export function object<F extends Fields>(
  fields: F,
  options: ObjectOptions = {},
): ObjectCodec<ObjectOf<F>, F> {
  type Value = ObjectOf<F>;
  const entries: readonly (readonly [string, AnyCodec])[] = Object.entries(fields);
  const known = Object.keys(fields);
  const named = entries.filter(([, codec]) => codec.mapNames !== undefined);
  const ordered = entries.filter(([, codec]) => codec.inOrder !== undefined);

  return {
    shape: { kind: 'object', fields, ...(options.title !== undefined && { title: options.title }) },
    fields,
    read(input, reading) {
      if (!isObject(input)) return reading.problem(describeType('Object', input));
      const value: [string, unknown][] = [];
      let valid = true;
      for (const [key, codec] of entries) {
        const property = readField(key, codec, Object.hasOwn(input, key) ? input[key] : undefined, reading);
        if (property === INVALID) valid = false;
        else if (property !== undefined) value.push([key, property]);
      }
      const unknown = Object.keys(input).filter((key) => !Object.hasOwn(fields, key));
      if (unknown.length > 0) {
        if (options.reportUnknown) options.reportUnknown(unknown, known, reading);
        else for (const key of unknown) reading.unknownKey(key, known);
      }
      return valid ? (Object.fromEntries(value) as Value) : INVALID;
    },
    write(value) {
      const written: Record<string, Json> = {};
      for (const [key, codec] of entries) {
        const json = codec.write((value as Readonly<Record<string, unknown>>)[key]);
        if (json !== undefined) written[key] = json;
      }
      return written;
    },
    ...(named.length > 0 && {
      mapNames: (value: Value, walk: Walk) =>
        mapFields(value, named, (codec, property) => codec.mapNames!(property, walk)),
    }),
    ...(ordered.length > 0 && {
      inOrder: (value: Value) => mapFields(value, ordered, (codec, property) => codec.inOrder!(property)),
    }),
  };
}

/** The object with some of its fields changed; itself if none did. */
function mapFields<Value>(
  value: Value,
  fields: readonly (readonly [string, AnyCodec])[],
  change: (codec: AnyCodec, property: unknown) => unknown,
): Value {
  const given = value as Readonly<Record<string, unknown>>;
  const changed = fields.flatMap(([key, codec]) => {
    const before = given[key];
    const after = before === undefined ? before : change(codec, before);
    return after === before ? [] : [[key, after] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
}

function readField(key: string, codec: AnyCodec, input: unknown, reading: Reading): unknown {
  if (input !== undefined) return reading.inside(key, codec, input);
  return codec.absent ? codec.absent(reading, key) : reading.problem(missingKey(key));
}

export function missingKey(key: string): string {
  return `key ${JSON.stringify(key)} not found`;
}

/** The codec of a key, with what the key means. */
export function key<C extends AnyCodec>(meaning: string, codec: C): C {
  return { ...codec, meaning };
}

/** The same of a key that other engines of the API family do not know. */
export function extension<C extends AnyCodec>(meaning: string, codec: C): C {
  return { ...codec, meaning, isExtension: true };
}

/** A key that may be absent. */
export function optional<Value>(codec: Codec<Value>): OptionalCodec<Value> {
  return {
    isOptional: true,
    ...orElse(codec as Codec<Value | undefined>, undefined),
  };
}

/** A key that may be absent, which is the same as the fallback; the fallback is not exported. */
export function withDefault<Value>(codec: Codec<Value>, fallback: Value): Codec<Value> {
  return orElse(codec, fallback);
}

function orElse<Value>(codec: Codec<Value>, fallback: Value): Codec<Value> {
  return {
    shape: { kind: 'optional', inner: codec, fallback },
    read: (input, reading) => (input === null || input === undefined ? fallback : codec.read(input, reading)),
    absent: () => fallback,
    write: (value) =>
      value === undefined || isDeepStrictEqual(value, fallback) ? undefined : codec.write(value),
    ...withMembers(codec),
  };
}

/** An optional key whose absence is exported as null. */
export function orNull<Value>(codec: OptionalCodec<Value>): OptionalCodec<Value> {
  return { ...codec, write: (value) => codec.write(value) ?? null };
}

/** Like `withDefault`, with the fallback exported. */
export function printedDefault<Value>(codec: Codec<Value>, fallback: Value): Codec<Value> {
  return { ...withDefault(codec, fallback), write: (value) => codec.write(value) };
}

/** A list, which may be empty. */
export function requiredList<Item>(item: Codec<Item>): Codec<readonly Item[]> {
  return listOf(item, false);
}

export function nonEmptyList<Item>(item: Codec<Item>): Codec<readonly Item[]> {
  return listOf(item, true);
}

/** A list that may be absent, which is the same as empty. */
export function list<Item>(item: Codec<Item>): Codec<readonly Item[]> {
  return withDefault<readonly Item[]>(requiredList(item), []);
}

function listOf<Item>(item: Codec<Item>, nonEmpty: boolean): Codec<readonly Item[]> {
  return {
    shape: { kind: 'list', item, nonEmpty },
    read(input, reading) {
      if (!Array.isArray(input)) return reading.problem(describeType('[]', input));
      if (nonEmpty && input.length === 0) {
        return reading.problem('parsing NonEmpty failed, unexpected empty list');
      }
      const values = input.map((value, index) => reading.inside(index, item, value));
      return values.includes(INVALID) ? INVALID : (values as Item[]);
    },
    write: (values) => values.map((value) => item.write(value) ?? null),
    ...(item.mapNames && {
      mapNames: (values: readonly Item[], walk: Walk) =>
        mapItems(values, (value) => item.mapNames!(value, walk)),
    }),
  };
}

/** The list with its items changed; itself if none did. */
export function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

/** An object with any keys. */
export function record<Value>(item: Codec<Value>): Codec<Readonly<Record<string, Value>>> {
  return {
    shape: { kind: 'record', item },
    read(input, reading) {
      if (!isObject(input)) return reading.problem(describeType('Object', input));
      const values = Object.entries(input).map(
        ([key, value]) => [key, reading.inside(key, item, value)] as const,
      );
      if (values.some(([, value]) => value === INVALID)) return INVALID;
      return Object.fromEntries(values as readonly (readonly [string, Value])[]);
    },
    write: (values) =>
      Object.fromEntries(Object.entries(values).map(([key, value]) => [key, item.write(value) ?? null])),
  };
}

/** The same value, exported with the keys of every object in alphabetical order. */
export function sorted<C extends AnyCodec>(codec: C): C {
  return {
    ...codec,
    write: (value: TypeOf<C>) => {
      const json = codec.write(value);
      return json === undefined ? undefined : sortKeys(json);
    },
  };
}

/** The same value, exported only if that leaves an object with keys. */
export function unlessEmpty<C extends AnyCodec>(codec: C): C {
  return {
    ...codec,
    write: (value: TypeOf<C>) => {
      const json = codec.write(value);
      return isObject(json) && Object.keys(json).length === 0 ? undefined : json;
    },
  };
}

/** Reports why a value that has the right parts does not fit; the path is relative to it. */
export type Fail = (message: string, path?: (string | number)[]) => void;

/** A value of the model that is written in another form: `read` makes it of what `codec` reads, and may refuse by `fail`. */
export function convert<Raw, Value>(
  codec: Codec<Raw>,
  form: { readonly read: (raw: Raw, fail: Fail) => Value; readonly write: (value: Value) => Raw },
): Codec<Value> {
  return {
    shape: { kind: 'converted', inner: codec },
    read(input, reading) {
      const raw = codec.read(input, reading);
      if (raw === INVALID) return INVALID;
      let valid = true;
      const value = form.read(raw, (message, path) => {
        reading.problem(message, path);
        valid = false;
      });
      return valid ? value : INVALID;
    },
    write: (value) => codec.write(form.write(value)),
    ...(codec.mapNames && {
      mapNames: (value: Value, walk: Walk) => {
        const before = form.write(value);
        const after = codec.mapNames!(before, walk);
        return after === before ? value : form.read(after, () => {});
      },
    }),
    ...(codec.absent && {
      absent: (reading: Reading, key: string) => {
        const raw = codec.absent!(reading, key);
        return raw === INVALID ? INVALID : form.read(raw, (message) => reading.problem(message));
      },
    }),
  };
}

/** The JSON that a codec would read, kept with all its keys. */
export function asGiven(codec: AnyCodec): Codec<JsonObject> {
  return {
    shape: codec.shape,
    read: (input, reading) => (codec.read(input, reading) === INVALID ? INVALID : (input as JsonObject)),
    write: (given) => given,
  };
}

/** Like `convert`, for arguments of operations, which are never exported. */
export function argument<Raw, Value>(codec: Codec<Raw>, read: (raw: Raw, fail: Fail) => Value): Codec<Value> {
  return convert(codec, { read, write: neverWritten });
}

function neverWritten(): never {
  throw new Error('arguments are not exported');
}

/**
 * A value that may be written in several forms: `pick` chooses the codec for an input, or says why none fits, and
 * `writer` the one that an export uses (by default the value is its own JSON).
 */
export function choose<Value>(
  pick: (input: unknown) => Codec<Value> | string,
  writer?: Codec<Value> | ((value: Value) => Codec<Value>),
): Codec<Value> {
  return {
    shape: { kind: 'choice', pick },
    read(input, reading) {
      const codec = pick(input);
      return typeof codec === 'string' ? reading.problem(codec) : codec.read(input, reading);
    },
    write(value) {
      if (writer === undefined) return value as Json;
      return (typeof writer === 'function' ? writer(value) : writer).write(value);
    },
  };
}

/** The same value, with the names that it holds; `mapNames` may copy even if no name changes. */
export function withNames<C extends AnyCodec>(
  codec: C,
  mapNames: (value: TypeOf<C>, walk: Walk) => TypeOf<C>,
): C {
  return {
    ...codec,
    mapNames: (value: TypeOf<C>, walk: Walk) => {
      const mapped = mapNames(value, walk);
      return isDeepStrictEqual(mapped, value) ? value : mapped;
    },
  };
}

/** The same value, with the part of the metadata that its names are in. */
export function namesInside<C extends AnyCodec>(
  codec: C,
  part: (value: TypeOf<C>) => Parameters<Walk['inside']>[0],
): C {
  return {
    ...codec,
    mapNames: (value: TypeOf<C>, walk: Walk) => codec.mapNames!(value, walk.inside(part(value))),
  };
}

/** The members of a codec that its wrapper keeps. */
function withMembers<Value>(codec: Codec<Value>): Pick<Codec<Value>, 'mapNames' | 'inOrder'> {
  return {
    ...(codec.mapNames && { mapNames: codec.mapNames.bind(codec) }),
    ...(codec.inOrder && { inOrder: codec.inOrder.bind(codec) }),
  };
}
