/** What is saved, at work: the allow-list's check and the REST routes of one program. */
import type { RestRoute, SavedProgram } from '../core/saved.ts';
import { type CheckAllowed, createAllowlist } from './allowlist.ts';
import { createRouter, type MatchRoute } from './router.ts';

export interface Saved {
  /** Absent when the allow-list is not enabled. */
  readonly checkAllowed?: CheckAllowed;
  readonly routes: readonly RestRoute[];
  readonly match: MatchRoute;
}

/** Prepares what a program has saved. @param enforceAllowlist whether roles may send only what it lists */
export function prepareSaved(program: SavedProgram | undefined, enforceAllowlist: boolean): Saved {
  return {
    ...(enforceAllowlist ? { checkAllowed: createAllowlist(program?.allowlist ?? []) } : {}),
    routes: program?.routes ?? [],
    match: createRouter(program?.routes ?? []),
  };
}
