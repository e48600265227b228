/** Resolvers of the root fields that read a table. Those written by hand may call them with a further condition. */

import type { Where } from '../contract/row-types.ts';
import type { DeclaredTable } from '../contract/shapes.ts';
import type { Call } from '../program/root-fields.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import type { Sql } from '../sql/fragment.ts';
import { behind, far } from './condition.ts';
import { groupsOfRows } from './groups.ts';
import { ownCondition } from './own-condition.ts';
import { type RowSource, tableRows } from './rows.ts';
import { scopeOf } from './scope.ts';
import { aggregateOfRows, listOfRows, singleRow } from './select.ts';
import { rowRule, seen } from './visible.ts';
import { keyCondition, onlyOne } from './where.ts';

/**
 * Resolver of a list field: the rows of a table that the requester's rule and the arguments allow.
 * @param only a further condition on the rows, for resolvers written by hand
 */
export function selectRows<Of extends DeclaredTable>(
  { of, requester, selection, args }: Call<Of>,
  only?: Where<Of>,
): Sql {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  return listOfRows(visible, selection, args, onlyRows(visible, only), scope);
}

/** All rows of a table, or those that meet a condition. */
function onlyRows(visible: VisibleTable, only: Where<DeclaredTable> | undefined): RowSource {
  const rows = tableRows(visible);
  if (!only) return rows;
  // Rows that it leaves out are hidden from the client as those of the rule are.
  return { ...rows, further: (alias) => [far(ownCondition(only, alias, visible.table))] };
}

/** Resolver of a by-key field: one row or null. `only` as for `selectRows`. */
export function selectByKey<Of extends DeclaredTable>(
  { of, requester, selection, args }: Call<Of>,
  only?: Where<Of>,
): Sql {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  const alias = scope.alias(visible.table.shape.name);
  const rule = rowRule(visible, alias);
  const where = [
    ...keyCondition(visible, alias, args),
    ...rule,
    ...(only ? [behind(rule, ownCondition(only, alias, visible.table))] : []),
  ];
  return singleRow(
    seen(visible),
    selection,
    visible.table.sql,
    alias,
    { where, ...onlyOne(visible.table) },
    scope,
  );
}

/** Resolver of an aggregate field. `only` as for `selectRows`. */
export function selectAggregate<Of extends DeclaredTable>(
  { of, requester, selection, args }: Call<Of>,
  only?: Where<Of>,
): Sql {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  return aggregateOfRows(visible, selection, args, onlyRows(visible, only), scope);
}

/** Resolver of a field that groups rows. `only` as for `selectRows`. */
export function selectGroups<Of extends DeclaredTable>(
  { of, requester, selection, args }: Call<Of>,
  only?: Where<Of>,
): Sql {
  const scope = scopeOf(requester);
  const visible = scope.roleSchema.of(of);
  return groupsOfRows(visible, selection, args, onlyRows(visible, only), scope);
}
