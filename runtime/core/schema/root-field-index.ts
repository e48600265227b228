/**
 * Who declares which root field. It is the same for every role and made once; whether a role is offered the field is asked
 * when a request names it, so that a role's first request does not pay for a thousand tables.
 */

import type { SourceShape } from '../contract/shapes.ts';
import type { ProgramContent, Table, TableFunction } from '../program/program.ts';

/** Sections of the root fields. What can be queried can be subscribed to. */
type RootSection = 'query' | 'subscription' | 'mutation';

/** The declaration of a root field, regardless of roles. */
type RootFieldOwner = { readonly table: Table } | { readonly called: TableFunction };

/** Owners by the name of the field, in the order in which they are listed. */
type OwnersByField = ReadonlyMap<string, readonly RootFieldOwner[]>;

export interface RootFieldIndex {
  /** Owners of the fields of one source. */
  readonly of: (source: SourceShape, section: RootSection) => OwnersByField;
}

/** Makes the index; each part on first use. */
export function indexRootFields(content: Pick<ProgramContent, 'tables' | 'functions'>): RootFieldIndex {
  const parts = new Map<SourceShape, Partial<Record<RootSection, OwnersByField>>>();
  return {
    of: (source, section) => {
      const known = parts.get(source)?.[section];
      if (known) return known;
      const owners = ownersOf(content, source, section);
      parts.set(source, { ...parts.get(source), [section]: owners });
      return owners;
    },
  };
}

function ownersOf(
  { tables, functions }: Pick<ProgramContent, 'tables' | 'functions'>,
  source: SourceShape,
  section: RootSection,
): OwnersByField {
  const owners = new Map<string, RootFieldOwner[]>();
  const add = (names: Iterable<string>, owner: RootFieldOwner) => {
    for (const name of names) {
      const known = owners.get(name);
      if (known) known.push(owner);
      else owners.set(name, [owner]);
    }
  };
  for (const table of tables) {
    if (table.source !== source) continue;
    if (section === 'subscription') add(table.fields.query.keys(), { table });
    add(table.fields[section].keys(), { table });
  }
  for (const called of functions)
    if (called.source === source)
      add(called.fields[section === 'mutation' ? 'mutation' : 'query'].keys(), { called });
  return owners;
}
