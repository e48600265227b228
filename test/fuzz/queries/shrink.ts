/** Makes a failing case smaller as long as it fails in the same way: whatever can be left out is left out. */
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import { check } from './check.ts';
import type { Project } from './project.ts';
import type { Request } from './request.ts';
import type { Served, Workbench } from './served.ts';

export interface Case {
  readonly project: Project;
  readonly request: Request;
  readonly printSeed: number;
  readonly distribution?: Distribution | undefined;
}

const MAX_ATTEMPTS = 600;

export async function shrink(workbench: Workbench, failing: Case, kind: string): Promise<Case> {
  let attempts = 0;
  let best = failing;

  // The request first: it needs no new database.
  const served = await workbench.serve(best.project, best.distribution);
  try {
    best = await reduce(best, 'request', (candidate) => failsAlike(served, candidate));
  } finally {
    await served.end();
  }
  best = await reduce(best, 'project', async (candidate) => {
    let again: Served;
    try {
      again = await workbench.serve(candidate.project, candidate.distribution);
    } catch {
      return false;
    }
    try {
      return await failsAlike(again, candidate);
    } finally {
      await again.end();
    }
  });
  return best;

  async function reduce(
    from: Case,
    part: 'request' | 'project',
    fails: (candidate: Case) => Promise<boolean>,
  ): Promise<Case> {
    let current = from;
    for (let found = true; found && attempts < MAX_ATTEMPTS; ) {
      found = false;
      for (const smaller of smallerOnes(current[part])) {
        if (attempts >= MAX_ATTEMPTS) break;
        attempts += 1;
        const candidate = { ...current, [part]: smaller } as Case;
        if (!(await fails(candidate))) continue;
        current = candidate;
        found = true;
        break;
      }
    }
    return current;
  }

  async function failsAlike(served: Served, { project, request, printSeed }: Case): Promise<boolean> {
    try {
      return (await check(served, project, request, printSeed))?.kind === kind;
    } catch {
      // The oracle or the printer cannot make sense of it: not a case.
      return false;
    }
  }
}

/** Optional parts of the data; all others are there for a reason. */
const OPTIONAL = new Set([
  'where',
  'orderBy',
  'distinctOn',
  'having',
  'limit',
  'offset',
  'path',
  'added',
  'distinct',
  'notNull',
  'bare',
  'spelling',
]);
/** Left alone: rows hold cells, keys identify. */
const KEPT = new Set(['session', 'key', 'primaryKey', 'value', 'through']);

/** The same data without one part: an item of a list, an optional property, a condition instead of what is around it. */
function* smallerOnes(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    // Halves first: many rows go at once.
    if (value.length > 3) {
      yield value.slice(0, value.length >> 1);
      yield value.slice(value.length >> 1);
    }
    for (let index = 0; index < value.length; index += 1) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries())
      for (const smaller of smallerOnes(item)) yield value.with(index, smaller);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const object = value as Readonly<Record<string, unknown>>;
  if (object.kind === 'not' || object.kind === 'object' || object.kind === 'and' || object.kind === 'or') {
    if (object.kind === 'not') yield object.item;
    for (const item of (object.items ?? object.parts ?? []) as readonly unknown[]) yield item;
  }
  if ('filter' in object && JSON.stringify(object.filter) !== '{"kind":"object","parts":[]}')
    yield { ...object, filter: { kind: 'object', parts: [] } };
  for (const [name, part] of Object.entries(object)) {
    if (KEPT.has(name)) continue;
    if (OPTIONAL.has(name)) {
      const { [name]: _, ...rest } = object;
      yield rest;
    }
    for (const smaller of smallerOnes(part)) yield { ...object, [name]: smaller };
  }
}
