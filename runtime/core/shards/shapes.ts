/**
 * How the tables of a source are spread over the nodes of a Citus cluster. Read from the catalogs of Citus, carried by
 * saved catalogs and by generated code; absent for plain PostgreSQL.
 */
export interface Distribution {
  /** Tables and views by key (`public.ticket`). A table that is absent is stored on the coordinator only. */
  readonly tables: Readonly<Record<string, TableDistribution>>;
  /** Keys of functions whose body reads one of these tables, or may. */
  readonly functions?: readonly string[];
}

export type TableDistribution =
  /**
   * Rows are in the shard that the value of a column decides. A view that does not show this column has no `by`.
   * `generated`: inserts may leave the column to its default.
   */
  | { readonly kind: 'distributed'; readonly by?: string; readonly group: number; readonly generated?: true }
  /** A copy of the whole table is on each node. */
  | { readonly kind: 'reference' }
  /** The whole table is one shard, beside the other tables of its group: sharding by schema. */
  | { readonly kind: 'single'; readonly group: number };

/** Where the rows of a statement are: what Citus makes of it. */
export type Verdict =
  | { readonly kind: 'router' | 'reference' }
  /** `why`: the tables that are not fixed to one value. */
  | { readonly kind: 'all shards'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };
