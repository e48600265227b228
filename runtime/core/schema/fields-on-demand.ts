/** Fields of an object type that are made one by one, as requests name them: a root type may have ten thousand. */
import { lazy } from '../remember.ts';
import type { FieldDefinition } from './types.ts';

/** Fields that may be there; whether they are is found out by asking. */
export interface OfferedFields {
  readonly get: (name: string) => FieldDefinition | undefined;
  /** All names that `get` may know. */
  readonly names: () => Iterable<string>;
  readonly none: () => boolean;
}

/**
 * The map of the offered fields, then of the others.
 * @param substitute the field to offer if there is no other
 */
export function fieldsOnDemand(
  offered: OfferedFields,
  others: ReadonlyMap<string, FieldDefinition>,
  substitute?: FieldDefinition,
): ReadonlyMap<string, FieldDefinition> {
  return new FieldsOnDemand(offered, others, substitute);
}

class FieldsOnDemand implements ReadonlyMap<string, FieldDefinition> {
  readonly #offered: OfferedFields;
  readonly #others: ReadonlyMap<string, FieldDefinition>;
  readonly #substitute: FieldDefinition | undefined;
  readonly #all: () => ReadonlyMap<string, FieldDefinition>;

  constructor(
    offered: OfferedFields,
    others: ReadonlyMap<string, FieldDefinition>,
    substitute: FieldDefinition | undefined,
  ) {
    this.#offered = offered;
    this.#others = others;
    this.#substitute = substitute;
    this.#all = lazy(() => this.#makeAll());
  }

  get(name: string): FieldDefinition | undefined {
    const field = this.#offered.get(name) ?? this.#others.get(name);
    if (field || name !== this.#substitute?.name) return field;
    return this.#offered.none() ? this.#substitute : undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  get size(): number {
    return this.#all().size;
  }

  entries(): MapIterator<[string, FieldDefinition]> {
    return this.#all().entries();
  }

  keys(): MapIterator<string> {
    return this.#all().keys();
  }

  values(): MapIterator<FieldDefinition> {
    return this.#all().values();
  }

  forEach(
    callback: (value: FieldDefinition, key: string, map: ReadonlyMap<string, FieldDefinition>) => void,
  ): void {
    for (const [name, field] of this.#all()) callback(field, name, this);
  }

  [Symbol.iterator](): MapIterator<[string, FieldDefinition]> {
    return this.entries();
  }

  #makeAll(): ReadonlyMap<string, FieldDefinition> {
    const all = new Map<string, FieldDefinition>();
    for (const name of this.#offered.names()) {
      const field = this.#offered.get(name);
      if (field) all.set(name, field);
    }
    if (all.size === 0 && this.#substitute) all.set(this.#substitute.name, this.#substitute);
    for (const [name, field] of this.#others) all.set(name, field);
    return all;
  }
}
