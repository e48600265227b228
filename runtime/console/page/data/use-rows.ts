/** Pages of rows, one after the other, as far as they were scrolled to. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { TableApi } from '../../data-questions.ts';
import { ask, markMasked, rowsAt, type ShownRow } from './answers.ts';
import { type Asked, type GraphqlRequest, pageRequest, pagingOf, type Row, rowRequest } from './request.ts';

interface Rows {
  readonly rows: readonly ShownRow[];
  /** The last page was read. */
  readonly isEnd: boolean;
  readonly isLoading: boolean;
  readonly error?: Error;
  /** The last one that was sent. */
  readonly request?: GraphqlRequest;
}

export interface RowLoader {
  /** Undefined until rows were asked for. */
  readonly rows: Rows | undefined;
  /** Reads from the beginning. */
  readonly start: () => void;
  readonly more: () => void;
  /** Reads a row again after a change of it; it leaves the list where the role sees it no more. @param key of it now */
  readonly renew: (row: ShownRow, key: Row) => Promise<void>;
  readonly drop: (row: ShownRow) => void;
}

const NOTHING: Rows = { rows: [], isEnd: false, isLoading: true };

/** @param identity another one forgets all rows: the table, its conditions and order, and the role */
export function useRows(api: TableApi, asked: Asked, identity: string): RowLoader {
  const [rows, setRows] = useState<Rows>();
  // Of the answers only those to the last start count.
  const round = useRef(0);
  const known = useRef<Rows>(undefined);
  const set = useCallback((next: Rows | undefined) => {
    known.current = next;
    setRows(next);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows belong to what was asked
  useEffect(() => {
    round.current += 1;
    set(undefined);
  }, [identity]);

  const load = async (before: Rows) => {
    const own = round.current;
    set({ ...before, isLoading: true });
    let request: GraphqlRequest | undefined;
    try {
      const last = before.rows.at(-1)?.values;
      request = pageRequest(api, asked, last && { row: last, count: before.rows.length });
      const page = rowsAt(api, await ask(request));
      const marked = await markMasked(api, page);
      if (own !== round.current) return;
      const all = before.rows.concat(marked);
      set({ rows: all, isEnd: page.length < pagingOf(api, asked).size, isLoading: false, request });
    } catch (error) {
      if (own !== round.current) return;
      set({ ...before, isLoading: false, error: error as Error, ...(request && { request }) });
    }
  };
  return {
    rows,
    start: () => {
      round.current += 1;
      void load(NOTHING);
    },
    more: () => {
      const { current } = known;
      if (current && !current.isEnd && !current.isLoading && !current.error) void load(current);
    },
    renew: async (row, key) => {
      const marked = await markMasked(api, rowsAt(api, await ask(rowRequest(api, key))));
      const { current } = known;
      if (current)
        set({ ...current, rows: current.rows.flatMap((each) => (each === row ? marked : [each])) });
    },
    drop: (row) => {
      const { current } = known;
      if (current) set({ ...current, rows: current.rows.filter((each) => each !== row) });
    },
  };
}
