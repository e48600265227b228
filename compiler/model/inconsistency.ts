import type { Json } from './metadata.ts';

/**
 * An object that the metadata names but that cannot be served, in the shape in which the metadata API lists it
 * (`get_inconsistent_metadata`). `reason` begins with `Inconsistent object: `.
 */
export interface InconsistentObject {
  readonly type: string;
  readonly name: string;
  readonly reason: string;
  readonly definition: Json;
  /** The raw inner error, e.g. of the database. */
  readonly message?: Json;
}
