/**
 * A codec describes one kind of value of the metadata, once: how it is read, its TypeScript type (`TypeOf`), how it is
 * exported, the names in it that refer to other objects, and the order of its lists. `combinators.ts` builds them;
 * `kinds/` holds one for each kind of metadata.
 */
import type { Message } from '../core/diagnostics/diagnostic.ts';
import type { Json, MetadataPath } from '../core/json/json.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { Walk } from './references.ts';

/** The result of `read` for a value that does not fit. At least one problem was reported. */
export const INVALID = Symbol('invalid');
export type Invalid = typeof INVALID;

export interface Codec<Value> {
  /** Structure of the value, for documentation and for tests that make random values. */
  readonly shape: Shape;
  /** Meaning of a key with this codec, for the reference of the metadata. */
  readonly meaning?: string;
  /** The key is not known to other engines of the API family. */
  readonly isExtension?: true;
  /** Checks and normalises; reports every problem to `reading`. */
  read(input: unknown, reading: Reading): Value | Invalid;
  /** The value of an absent key. Without this function the key is required. */
  absent?(reading: Reading, key: string): Value | Invalid;
  /** The value as an export prints it; undefined: its key is left out. Reading it again gives the same value. */
  write(value: Value): Json | undefined;
  /** The value with every name in it as the walk's visitor answers, itself if nothing changed. Absent: it holds no names. */
  mapNames?(value: Value, walk: Walk): Value;
  /** The value with its keyed lists in the order of exports; itself if they were. Absent: it holds no such lists. */
  inOrder?(value: Value): Value;
}

/** A codec of a key that may be absent: null and absent alike are read as undefined, and left out of the object. */
export interface OptionalCodec<Value> extends Codec<Value | undefined> {
  readonly isOptional: true;
}

/** The type that a codec reads. */
export type TypeOf<C> =
  C extends OptionalCodec<infer Value> ? Value | undefined : C extends Codec<infer Value> ? Value : never;

type Shape =
  /** `name` is the word for it in documentation. */
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** `title` is the heading of its section in documentation; without one its keys are listed where it occurs. */
  | { readonly kind: 'object'; readonly fields: Fields; readonly title?: string }
  | { readonly kind: 'list'; readonly item: AnyCodec; readonly nonEmpty: boolean }
  | { readonly kind: 'record'; readonly item: AnyCodec }
  /** `fallback` is the value of an absent key. */
  | { readonly kind: 'optional'; readonly inner: AnyCodec; readonly fallback: unknown }
  | { readonly kind: 'converted'; readonly inner: AnyCodec }
  /** One of several forms: `pick` gives the codec for an input, or says why none fits. */
  | { readonly kind: 'choice'; readonly pick: (input: unknown) => AnyCodec | string };

// biome-ignore lint/suspicious/noExplicitAny: a codec of whatever type
export type AnyCodec = Codec<any>;
export type Fields = Readonly<Record<string, AnyCodec>>;

/** A problem, an unknown key, or a diagnostic of its own, with its place. */
export type CodecFinding =
  | { readonly kind: 'problem'; readonly path: MetadataPath; readonly message: string }
  | {
      readonly kind: 'unknown_key';
      readonly path: MetadataPath;
      readonly key: string;
      /** The keys that are known at this place, for advice. */
      readonly known: readonly string[];
    }
  | { readonly kind: 'diagnostic'; readonly path: MetadataPath; readonly message: Message };

/** One pass through a document or through arguments: the current place, and what was found. */
export class Reading {
  readonly findings: CodecFinding[] = [];
  /** The one that the input is written in. */
  readonly vocabulary: Vocabulary;
  readonly #path: (string | number)[] = [];

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
  }

  /** The current place. */
  get path(): MetadataPath {
    return [...this.#path];
  }

  /** Reads a part of the current value. */
  inside<Value>(step: string | number, codec: Codec<Value>, input: unknown): Value | Invalid {
    this.#path.push(step);
    const value = codec.read(input, this);
    this.#path.pop();
    return value;
  }

  /** Reports that the current value does not fit, or the part of it at `below`. */
  problem(message: string, below: MetadataPath = []): Invalid {
    this.findings.push({ kind: 'problem', path: [...this.#path, ...below], message });
    return INVALID;
  }

  unknownKey(key: string, known: readonly string[]): void {
    this.findings.push({ kind: 'unknown_key', path: this.path, key, known });
  }

  diagnostic(message: Message, path: MetadataPath = this.path): void {
    this.findings.push({ kind: 'diagnostic', path, message });
  }
}

export interface Validation<Value> {
  /** Undefined if there are problems. */
  readonly value: Value | undefined;
  /** A missing key is reported at the object that lacks it. Paths are relative to the input. */
  readonly problems: readonly Extract<CodecFinding, { readonly kind: 'problem' }>[];
  readonly unknownKeys: readonly Extract<CodecFinding, { readonly kind: 'unknown_key' }>[];
}

/** Reads one value on its own. Never throws for bad input. */
export function validate<Value>(
  codec: Codec<Value>,
  input: unknown,
  vocabulary: Vocabulary,
): Validation<Value> {
  const reading = new Reading(vocabulary);
  const value = codec.read(input, reading);
  return {
    value: value === INVALID ? undefined : value,
    problems: reading.findings.filter((finding) => finding.kind === 'problem'),
    unknownKeys: reading.findings.filter((finding) => finding.kind === 'unknown_key'),
  };
}

/** The value with every name in it as the walk's visitor answers, itself if nothing changed. */
export function mapNames<Value>(codec: Codec<Value>, value: Value, walk: Walk): Value {
  return codec.mapNames?.(value, walk) ?? value;
}
