/**
 * How the tables of a source are spread over the nodes of a Citus cluster. Read from the catalogs of Citus, carried by
 * saved catalogs and by generated code; absent for databases without the extension.
 */
export interface Distribution {
  /** Tables and views by key (`public.ticket`). A table that is absent is stored on the coordinator only. */
  readonly tables: Readonly<Record<string, TableDistribution>>;
  /** Functions that read tables, or may, by key. Others read none. */
  readonly functions?: Readonly<Record<string, FunctionReach>>;
  /** Of all that the catalogs of Citus say of tables: the same for the same distribution, in any database. */
  readonly fingerprint: string;
}

export interface FunctionReach {
  /** `public.all_plans reads public.plan`. */
  readonly why: string;
  /** It answers rightly where its statement names no table of the cluster. Others are refused. */
  readonly alone?: true;
}

export type TableDistribution =
  /**
   * Rows are in the shard that the value of a column decides. A view that does not show this column has no `by`.
   * `generated`: inserts may leave the column to its default.
   */
  | (Writable & {
      readonly kind: 'distributed';
      readonly by?: string;
      readonly group: number;
      readonly generated?: true;
    })
  /** A copy of the whole table is on each node. */
  | (Writable & { readonly kind: 'reference' })
  /** The whole table is one shard, beside the other tables of its group: sharding by schema. */
  | (Writable & { readonly kind: 'single'; readonly group: number })
  /** It cannot be read: `why` continues `the view public.report `. */
  | { readonly kind: 'refused'; readonly why: string };

interface Writable {
  /** Why rows cannot be inserted or updated: what its checks and generated columns call. */
  readonly unwritable?: string;
}

/** Where the rows of a statement are: what Citus makes of it. */
export type ShardVerdict =
  | { readonly kind: 'router' | 'reference' }
  /** `why`: the tables that are not fixed to one value. */
  | { readonly kind: 'all shards'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string };
