/**
 * Random distributions of the tables of a project, as if a cluster had them. The database is plain PostgreSQL, so what is sent in the forms
 * for a cluster has to answer, and write, what the model says; or it is refused before it is sent.
 */
import type { EngineError } from '../../../runtime/core/errors.ts';
import { objectKey } from '../../../runtime/core/names.ts';
import type { Distribution, TableDistribution } from '../../../runtime/core/shards/shapes.ts';
import type { Table } from '../queries/project.ts';
import type { Random } from '../random.ts';

type SpreadTable = Pick<Table, 'schema' | 'name' | 'kind' | 'columns' | 'inherits' | 'view'>;

/** All tables in one shard, tables by a column of theirs, or tables of every place. */
const PLACES = ['one shard', 'by columns', 'every place'] as const;

export function randomDistribution(random: Random, tables: readonly SpreadTable[]): Distribution {
  const place = random.pick(PLACES);
  const found = new Map<string, TableDistribution | undefined>();
  const families = new Set(tables.flatMap(({ name, inherits }) => (inherits ? [name, inherits] : [])));
  const own = ({ name, columns }: SpreadTable): TableDistribution | undefined => {
    // Citus distributes no tables that inherit.
    const kind = families.has(name) ? 'single' : place === 'one shard' ? 'single' : 'distributed';
    const chosen = place === 'every place' ? random.pick([kind, kind, 'reference', undefined]) : kind;
    if (chosen === 'single') return { kind: chosen, group: 1 };
    if (chosen === 'reference') return { kind: chosen };
    if (chosen === undefined) return undefined;
    // A column that refers to another table, or is referred to, joins more tables than others do.
    const column = random.pick(columns.filter(({ type }) => type === 'int4').concat(columns.slice(0, 1)));
    return { kind: 'distributed', by: column.name, group: 1, generated: true };
  };
  for (const table of tables) if (!table.view) found.set(table.name, own(table));
  for (const { name, kind, view, columns } of tables) {
    // A materialized view is stored on the coordinator.
    if (!view || kind === 'materialized view') continue;
    const of = found.get(view.table);
    if (view.outer && found.get(view.outer.table)?.kind !== of?.kind)
      found.set(name, { kind: 'refused', why: 'reads tables of several places' });
    else if (of?.kind === 'distributed') {
      const shows = !view.outer && columns.some((column) => column.name === of.by);
      found.set(name, { kind: 'distributed', group: 1, ...(shows && { by: of.by! }) });
    } else found.set(name, of);
  }
  const entries = tables.flatMap(({ schema, name }) => {
    const of = found.get(name);
    return of ? [[objectKey(schema, name), of] as const] : [];
  });
  return { tables: Object.fromEntries(entries), fingerprint: '' };
}

/** Refused because of where its tables are: as a statement, or for a name that distributed tables do not have. */
export function isRefusedForShards(
  { code, message = '' }: Partial<EngineError>,
  distribution: Distribution | undefined,
): boolean {
  if (!distribution) return false;
  if (code === 'not-supported')
    return /^(the distributed tables of source|an upsert into the distributed table) /.test(message);
  const name = code === 'validation-failed' ? UNKNOWN.exec(message)?.slice(1).join('') : undefined;
  if (name === undefined) return false;
  // Rows stay in their shard: the column that says in which, and operators of no other column, are not offered.
  const isKept = Object.values(distribution.tables).some(
    (table) => table.kind === 'distributed' && table.by === name,
  );
  return isKept || /^(related|_set|_inc|_append|_prepend|_delete_\w+)$|_group_by$/.test(name);
}

const UNKNOWN = /^field '(\w+)' not found|has no argument named '(\w+)'$|_column', but found '(\w+)'$/;
