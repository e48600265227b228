/**
 * Real projects and conformance cases that are not part of this repository. `ENGINE_PUBLIC_CASES` names their folder; without it they are
 * looked for in `shared` beside the checkout. Tests that need them are skipped where they are absent (CONTRIBUTING.md says what is in them).
 */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(
  process.env.ENGINE_PUBLIC_CASES ?? fileURLToPath(new URL('../../../shared', import.meta.url)),
);

/** A folder for each project: its SQL, its metadata and `case.json`; `load.mjs` loads one into a database. */
export const PROJECTS = join(folder, 'projects');

/** The cases and their runner, `run.mjs`. */
export const CONFORMANCE = join(folder, 'conformance');
