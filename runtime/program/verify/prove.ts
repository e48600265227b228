/** Has databases prepare what was generated for them. */
import type pg from 'pg';
import type { Proof, ProofSubject } from '../../core/program/proof.ts';
import { prepareAll } from '../../database/prepare.ts';
import type { ConnectionConfiguration } from '../../database/ways.ts';

/** A statement, and what its database says against it. */
export interface RefusedProof {
  readonly proof: Proof;
  readonly error: pg.DatabaseError;
}

/**
 * Prepares every statement in the database of its source; a source without one is passed over.
 * @throws as `pg` does when a database cannot be reached
 */
export async function prove(
  proofs: readonly Proof[],
  databases: ReadonlyMap<string, ConnectionConfiguration>,
): Promise<{ readonly count: number; readonly refusals: readonly RefusedProof[] }> {
  const refusals: RefusedProof[] = [];
  let count = 0;
  // One after the other: each may be an embedded database, which takes much memory while it is used.
  for (const [source, configuration] of databases) {
    const own = proofs.filter((proof) => proof.source === source);
    const errors = await prepareAll(
      configuration,
      own.map(({ text }) => text),
    );
    count += own.length;
    for (const [index, proof] of own.entries()) {
      const error = errors[index];
      if (error) refusals.push({ proof, error });
    }
  }
  return { count, refusals };
}

/** Names what a statement is about: `relationship author of public.article`. */
export function subjectText(subject: ProofSubject): string {
  switch (subject.kind) {
    case 'rule':
      return `${subject.part} of ${subject.role} for ${subject.operation} on ${subject.table}`;
    case 'preset':
    case 'cell':
      return `${subject.kind} ${subject.column} of ${subject.role} for ${subject.operation} on ${subject.table}`;
    case 'columns':
      return `columns of ${subject.table}`;
    case 'relationship':
    case 'computed field':
      return `${subject.kind} ${subject.name} of ${subject.table}`;
    case 'function':
      return `call of ${subject.name}`;
    case 'saved operation':
      return `saved operation ${subject.name} of ${subject.collection}`;
  }
}
