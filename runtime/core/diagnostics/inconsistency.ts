import type { Json } from '../json/json.ts';

/**
 * An object that the metadata names but that cannot be served, in the shape in which the metadata API lists it
 * (`get_inconsistent_metadata`). `reason` begins with `Inconsistent object: `, except for parents of a role
 * that disagree.
 */
export type InconsistentObject = NamedInconsistency | AmbiguousEndpoints | ConflictingObjects;

export interface NamedInconsistency {
  readonly type: string;
  readonly name: string;
  readonly reason: string;
  /** Absent where an entity is given. */
  readonly definition?: Json;
  /** The permission that an inherited role cannot have, because its parents disagree. */
  readonly entity?: Json;
  /** The raw inner error, e.g. of the database. */
  readonly message?: Json;
  readonly conflicts?: undefined;
  readonly objects?: undefined;
}

/** REST endpoints that match a common path: one entry for all of them. */
interface AmbiguousEndpoints {
  readonly reason: string;
  /** An entry `{name, url, methods, definition, comment}` for each. */
  readonly conflicts: readonly Json[];
  readonly type?: undefined;
  readonly name?: undefined;
  readonly definition?: undefined;
  readonly message?: undefined;
  readonly objects?: undefined;
}

/** Fields of one name in a table, none of them a column: one entry for all of them. */
interface ConflictingObjects {
  readonly reason: string;
  readonly objects: readonly Pick<NamedInconsistency, 'type' | 'name' | 'definition'>[];
  readonly type?: undefined;
  readonly name?: undefined;
  readonly definition?: undefined;
  readonly message?: undefined;
  readonly conflicts?: undefined;
}
