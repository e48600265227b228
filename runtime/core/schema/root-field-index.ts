/**
 * Who declares which root field. It is the same for every role and made once; whether a role is offered the field is asked
 * when a request names it, so that a role's first request does not pay for a thousand tables.
 */
import type { ProgramContent, Table, TableFunction } from '../program.ts';
import type { TableResolvers } from '../resolvers.ts';
import type { SourceShape } from '../shapes.ts';

/** Sections of the root fields: queries are subscriptions as well. */
type RootSection = 'query' | 'mutation';

/** What declares a root field; offered to a role or not. */
type RootFieldOwner = { readonly table: Table } | { readonly called: TableFunction };

/** Owners by the name of the field, in the order in which they are listed. */
type OwnersByField = ReadonlyMap<string, readonly RootFieldOwner[]>;

export interface RootFieldIndex {
  /** Owners of the fields of one source. */
  readonly of: (source: SourceShape, section: RootSection) => OwnersByField;
}

/** Makes the index; each part on first use. */
export function indexRootFields(
  content: Pick<ProgramContent, 'tables' | 'functions' | 'resolvers'>,
): RootFieldIndex {
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
  { tables, functions, resolvers }: Pick<ProgramContent, 'tables' | 'functions' | 'resolvers'>,
  source: SourceShape,
  section: RootSection,
): OwnersByField {
  const owners = new Map<string, RootFieldOwner[]>();
  const add = (declared: object | undefined, owner: RootFieldOwner) => {
    for (const name in declared) {
      const known = owners.get(name);
      if (known) known.push(owner);
      else owners.set(name, [owner]);
    }
  };
  for (const table of tables) if (table.source === source) add(resolvers(table)[section], { table });
  for (const called of functions) if (called.source === source) add(called.resolvers[section], { called });
  return owners;
}

/** Whether two versions of a resolvers file declare the same fields in the same words, with the same code behind them. */
export function declareTheSame(before: TableResolvers, after: TableResolvers): boolean {
  return (
    before === after ||
    (['query', 'subscription', 'mutation'] as const).every((section) => sameSection(before, after, section))
  );
}

function sameSection(
  before: TableResolvers,
  after: TableResolvers,
  section: keyof TableResolvers & ('query' | 'subscription' | 'mutation'),
): boolean {
  return describe(before[section]) === describe(after[section]);
}

function describe(fields: TableResolvers['query' | 'mutation'] | TableResolvers['subscription']): string {
  return JSON.stringify(
    Object.entries(fields ?? {}).map(([name, { field, description, resolve }]) => [
      name,
      field,
      description,
      String(resolve),
    ]),
  );
}
