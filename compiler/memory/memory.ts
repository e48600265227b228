/**
 * What a compile remembers for the next one: results of units of work, each with everything it was made of. A result is
 * used again only where all of that is still the identical, immutable data; so it never matters which compile left it
 * here, or whether that compile's outcome was served. Entries go when the data they belong to goes.
 */

/** The work that is done by unit. The unit is a piece of metadata, model or plan. */
type Work =
  | 'reuse'
  | 'remote'
  | 'upstream'
  | 'joined'
  | 'not-served'
  | 'entry'
  | 'structure'
  | 'roles'
  | 'permissions'
  | 'rules'
  | 'declared'
  | 'facts'
  | 'ledger'
  | 'access'
  | 'program'
  | 'saved'
  | 'statements'
  | 'refusals'
  | 'names'
  | 'index'
  | 'files'
  | 'text';

interface Remembered {
  readonly value: unknown;
  readonly inputs: readonly unknown[];
}

interface RememberedTraced extends Remembered {
  readonly whole?: readonly unknown[];
  readonly places?: unknown;
}

export interface Memory {
  /** The unit of work that is about the program as a whole. */
  readonly program: object;
  /** The result of `make` for the unit, from before if all the inputs are the identical ones. `make` is given the last one. */
  remember<Value>(
    work: Work,
    unit: object,
    inputs: readonly unknown[],
    make: (last: Value | undefined) => Value,
  ): Value;
  /**
   * As `remember`, for work that finds its inputs as it goes: `inputsOf` gives the present inputs for the places that
   * were looked at, and `make` the result with these places, or none if it may not be kept. Where `whole`, which all
   * inputs are parts of, is the identical data as well, they are not compared.
   */
  rememberTraced<Value, Places>(
    work: Work,
    unit: object,
    whole: readonly unknown[],
    inputsOf: (places: Places) => readonly unknown[],
    make: () => { readonly value: Value; readonly places: Places | undefined },
  ): Value;
}

export function createMemory(): Memory {
  const works = new Map<Work, WeakMap<object, RememberedTraced>>();
  const unitsOf = (work: Work) => {
    let units = works.get(work);
    if (!units) {
      units = new WeakMap();
      works.set(work, units);
    }
    return units;
  };
  return {
    program: {},
    remember: (work, unit, inputs, make) => {
      const units = unitsOf(work);
      const known = units.get(unit);
      if (known && identical(known.inputs, inputs)) return known.value as ReturnType<typeof make>;
      const value = make(known?.value as ReturnType<typeof make> | undefined);
      units.set(unit, { value, inputs });
      return value;
    },
    rememberTraced: (work, unit, whole, inputsOf, make) => {
      type Made = ReturnType<typeof make>;
      const units = unitsOf(work);
      const known = units.get(unit);
      if (known?.whole && identical(known.whole, whole)) return known.value as Made['value'];
      if (known && identical(known.inputs, inputsOf(known.places as NonNullable<Made['places']>))) {
        units.set(unit, { ...known, whole });
        return known.value as Made['value'];
      }
      const { value, places } = make();
      if (places === undefined) units.delete(unit);
      else units.set(unit, { value, inputs: inputsOf(places), places, whole });
      return value;
    },
  };
}

function identical(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((input, index) => input === right[index]);
}
