/** Random metadata, made from the codecs themselves: a key that a kind gains is tried without a word here. */

import type { Json } from '../../../runtime/core/json/json.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { type AnyCodec, INVALID, Reading } from '../../../runtime/metadata/codec.ts';
import { metadataBody } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../../fuzz/random.ts';

/** Makes the value, or for a record a key, at a place: the keys that lead there. Undefined: any value that fits. */
export type ValueAt = (place: readonly string[], isKey: boolean) => Json | undefined;

/** A document of version 3 in which every optional key is sometimes given, sometimes null and sometimes absent. */
export function randomMetadata(
  random: Random,
  valueAt: ValueAt = () => undefined,
): Readonly<Record<string, Json>> {
  const body = randomValues(random, valueAt)(metadataBody) as Readonly<Record<string, Json>>;
  // Sources of other kinds are left out.
  const sources = (body.sources as readonly object[]).map((source) =>
    'kind' in source ? { ...source, kind: random.pick(['postgres', 'pg']) } : source,
  );
  return { version: 3, ...body, sources } as Readonly<Record<string, Json>>;
}

/** Makes values that codecs read. */
export function randomValues(random: Random, valueAt: ValueAt = () => undefined): (codec: AnyCodec) => Json {
  let made = 0;
  // Of one length, so that no name is part of another one.
  const fresh = (prefix: string) => `${prefix}${String(++made).padStart(5, '0')}`;

  const values: Readonly<Record<string, () => Json>> = {
    // Some texts are converted: cron schedules, schemas.
    text: () =>
      random.chance(0.1)
        ? random.pick(['', '* * * * *', '0 22 * * 1-5', '*/5 0 1 1 1', 'type Query { a: Int }'])
        : fresh('text {{X}} '),
    // Names are unique, so that nothing is left out as a duplicate.
    name: () => fresh(random.pick(['n', 'x y ', 'Ü', '__proto__'])),
    'GraphQL name': () => fresh('g'),
    'GraphQL type': () => random.pick(['Int', '[String!]!', 'Thing']),
    boolean: () => random.chance(0.5),
    'number above 0': () => random.pick([0.5, 1, 30, 60]),
    integer: () => random.between(1, 70_000),
    time: () => '2030-01-01T00:00:00Z',
    'event status': () => 'scheduled',
    'time zone': () => random.pick(['Europe/Berlin', 'UTC', 'America/New_York']),
    'any JSON': () => randomJson(random, 2),
    'JSON object': () => randomObject(random, 2),
  };

  function make(codec: AnyCodec, place: readonly string[]): Json {
    const { shape } = codec;
    switch (shape.kind) {
      case 'value': {
        const value = values[shape.name] ?? inRange(random, shape.name);
        if (value === undefined) throw new Error(`no random value for ${shape.name}`);
        return (/text|name|JSON/.test(shape.name) ? valueAt(place, false) : undefined) ?? value();
      }
      case 'enum':
        return random.pick(shape.values);
      case 'optional':
        return random.chance(0.15) ? null : make(shape.inner, place);
      case 'converted':
        return makeValid(codec, () => make(shape.inner, place));
      case 'object': {
        // Calls of remote fields nest without end.
        const given = (key: string, field: AnyCodec) =>
          isRequired(key, field) || (place.length < 12 && random.chance(0.5));
        const fields = Object.entries(shape.fields).filter(([key, field]) => given(key, field));
        // The order of keys in a document means nothing.
        const entries = random
          .shuffle(fields)
          .map(([key, field]) => [key, make(field, [...place, key])] as const);
        return Object.fromEntries(entries);
      }
      case 'record':
        return Object.fromEntries(
          random.list(random.below(3), () => [
            (valueAt(place, true) ?? values.name!()) as string,
            make(shape.item, place),
          ]),
        );
      case 'list':
        return random.list(random.between(shape.nonEmpty ? 1 : 0, 2), () => make(shape.item, place));
      case 'choice':
        return makeValid(codec, () => {
          const form = shape.pick(random.pick(SAMPLES));
          return typeof form === 'string' ? null : make(form, place);
        });
    }
  }

  /** Forms exclude each other, so some of what is made does not fit. */
  function makeValid(codec: AnyCodec, attempt: () => Json): Json {
    for (let tries = 0; tries < 1000; tries += 1) {
      const value = attempt();
      if (codec.read(value, new Reading(CANONICAL)) !== INVALID) return value;
    }
    throw new Error(`nothing fits ${JSON.stringify(codec.shape)}`);
  }

  return (codec) => make(codec, []);
}

/** A number of a range by its words: `integer from 1 to 599`. */
function inRange(random: Random, words: string): (() => Json) | undefined {
  const [, kind, from, to = from === undefined ? '0' : `${Number(from) + 500}`] =
    /^(integer|number) from (\d+)(?: to (\d+))?$/.exec(words) ?? [];
  if (kind === undefined) return undefined;
  return () => {
    const whole = random.pick([Number(from), Number(to), random.between(Number(from), Number(to))]);
    return kind === 'number' && whole < Number(to) && random.chance(0.3) ? whole + 0.5 : whole;
  };
}

function isRequired(key: string, field: AnyCodec): boolean {
  const reading = new Reading(CANONICAL);
  return field.absent === undefined || field.absent(reading, key) === INVALID || reading.findings.length > 0;
}

/** Inputs by which codecs of several forms choose one. */
const SAMPLES: readonly Json[] = [
  { scalar: '' },
  { array: {} },
  { logical_model: '' },
  { type: '' },
  'text',
  '*',
  ['text'],
  {},
  { one: 1 },
  { name: 'n' },
  { function: 'f' },
  { remote_schema: 'r' },
  { foreign_key_constraint_on: 'c' },
  { manual_configuration: {} },
];

function randomJson(random: Random, depth: number): Json {
  const leaves = [null, true, 0, 1.5, '', 'text', 'X-Engine-User-Id'];
  if (depth === 0 || random.chance(0.4)) return random.pick(leaves);
  if (random.chance(0.4)) return random.list(random.below(3), () => randomJson(random, depth - 1));
  return randomObject(random, depth);
}

function randomObject(random: Random, depth: number): Readonly<Record<string, Json>> {
  const keys = random.some(['z', 'a', '_and', '$or', '__proto__', 'constructor', 'é'], 0.4);
  return Object.fromEntries(keys.map((key) => [key, randomJson(random, depth - 1)]));
}
