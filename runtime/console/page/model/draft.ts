/**
 * Changes that were made in the console and are not applied yet. Every page of the model shows what is served with them. They
 * are in the memory of the page only.
 */
import { useSyncExternalStore } from 'react';
import type { Proposal, ProposalAnswer } from '../../proposal-questions.ts';
import { type Loaded, post, useLoaded } from '../api.ts';
import type { Change } from './change.ts';

/** Metadata as export_metadata gives it. */
export interface Exported {
  readonly resource_version: number;
  readonly metadata: object;
}

interface Draft {
  readonly changes: readonly Change[];
  /** Increases with every change of the list, and when it was applied. */
  readonly revision: number;
  /** What was served before this visit applied anything; a patch for git begins with it. */
  readonly origin: Exported | undefined;
}

let draft: Draft = { changes: [], revision: 0, origin: undefined };
const listeners = new Set<() => void>();

function set(next: Partial<Draft>): void {
  draft = { ...draft, ...next, revision: draft.revision + 1 };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useDraft(): Draft {
  return useSyncExternalStore(subscribe, () => draft);
}

/** The changes with another one. */
export function withChange(change: Change | undefined): readonly Change[] {
  if (!change) return draft.changes;
  return [...draft.changes.filter(({ key }) => key !== change.key), change];
}

export function keepChange(change: Change): void {
  set({ changes: withChange(change) });
}

export function dropChange(key: string): void {
  set({ changes: draft.changes.filter((change) => change.key !== key) });
}

export function dropChanges(): void {
  set({ changes: [] });
}

/** The metadata that is served, with its version. */
export async function exported(): Promise<Exported> {
  const found = await post<Exported>('/v1/metadata', { type: 'export_metadata', version: 2, args: {} });
  if (!draft.origin) draft = { ...draft, origin: found };
  return found;
}

/**
 * What is served with the changes.
 * @param further a change that is not kept yet
 * @param isAlone shows what is served, without the changes
 */
export async function propose<Shown>(
  show: Proposal['show'],
  {
    isFresh = false,
    isAlone = false,
    further,
  }: { readonly isFresh?: boolean; readonly isAlone?: boolean; readonly further?: Change } = {},
): Promise<ProposalAnswer<Shown>> {
  const changes = isAlone ? [] : withChange(further);
  const operations = changes.map(({ operation }) => operation);
  return post('/engine/console/proposal', { operations, show, isFresh } satisfies Proposal);
}

/** Proposed again when the changes are others; databases are read again when asked for. */
export function useProposal<Shown>(show: Proposal['show']): Loaded<ProposalAnswer<Shown>> {
  const { revision } = useDraft();
  return useLoaded(`${revision} ${JSON.stringify(show)}`, () =>
    propose<Shown>(show, { isFresh: show.page === 'model' }),
  );
}

/**
 * Applies the changes, all or none, to the metadata of the version that they were shown on.
 * @throws Refusal: `conflict` where it has changed since
 */
export async function applyChanges(version: number): Promise<void> {
  const args = draft.changes.map(({ operation }) => operation);
  await post('/v1/metadata', { type: 'bulk', resource_version: version, args });
  set({ changes: [] });
}
