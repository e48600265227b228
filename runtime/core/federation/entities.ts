/**
 * Plans `_entities` as one lookup for each type that the representations name, like by-key fields of all their keys at once:
 * each gives the rows of its representations in order, null where the role sees none. The answer takes them in turn.
 */

import { mayRepeatKey } from '../contract/shapes.ts';
import { pathStep } from '../errors.ts';
import { jsonObjectOf } from '../query/json-rows.ts';
import { baseRows, type RowSource } from '../query/rows.ts';
import { type Scope, sourceOf } from '../query/scope.ts';
import { rowEntries } from '../query/select.ts';
import { rowRule } from '../query/visible.ts';
import { sourceValue } from '../request/bind.ts';
import type { InputNode, SelectedField, Selection } from '../request/selection.ts';
import type { VisibleTable } from '../schema/visible-table.ts';
import {
  builtIn,
  identifier,
  join,
  type ParameterSource,
  raw,
  type Sql,
  sql,
  unnested,
} from '../sql/fragment.ts';
import { asOperand, compare } from '../sql/operand.ts';
import { arrayParameter } from '../sql/spatial.ts';
import { columnOf, jsonList, nested, selectStatement } from '../sql/statement.ts';
import { encodeKeys, readRepresentations, representationError } from './representations.ts';

/** The rows of one type. */
interface EntityLookup {
  readonly typeName: string;
  readonly source: string;
  /** Yields a JSON list. */
  readonly sql: Sql;
  readonly selection: Selection;
}

interface PlannedEntities {
  /** Where the representations come from. */
  readonly source: ParameterSource;
  readonly lookups: readonly EntityLookup[];
  /** false: the types depend on more than the shape of the variables. */
  readonly reusable: boolean;
}

/** @throws EngineError for representations of types that are no entities of the role */
export function planEntities(
  { arguments: given, selection }: SelectedField,
  tables: ReadonlyMap<string, VisibleTable>,
  variables: Readonly<Record<string, unknown>>,
  scope: Scope,
): PlannedEntities {
  const node = given.get('representations')!;
  const source = sourceOf(node);
  const representations = readRepresentations(sourceValue(source, variables), node.path);
  const names = new Set<string>();
  for (const [index, { typeName }] of representations.entries()) {
    if (!tables.has(typeName))
      throw representationError(
        `${JSON.stringify(typeName)} is not a type of _Entity`,
        pathStep(node.path, index),
      );
    names.add(typeName);
  }
  const lookups = [...names].map((typeName) =>
    lookup(typeName, tables.get(typeName)!, node, ofType(selection, typeName), scope),
  );
  return { source, lookups, reusable: hasFixedTypes(source) };
}

function lookup(
  typeName: string,
  visible: VisibleTable,
  node: InputNode,
  selection: Selection,
  scope: Scope,
): EntityLookup {
  const { primaryKey, source, shape } = visible.table;
  const keys = primaryKey.map((column) =>
    arrayParameter(
      column.type,
      sourceOf(node),
      (value) => encodeKeys(value, typeName, column, visible.select!.limit, node.path),
      node.path,
      { as: 'part', part: JSON.stringify([typeName, column.name]) },
    ),
  );
  const [wanted, all, rows] = [scope.alias('wanted'), scope.alias('all'), scope.alias('found')];
  const names = [...keys.map((_, index) => identifier(keyName(index))), identifier(POSITION)];
  const rowsOfTable: RowSource = {
    name: shape.name,
    beside: [{ rows: sql`${unnested(keys)} with ordinality`, alias: wanted, columns: names }],
    from: visible.table.sql,
    conditions: (alias) =>
      primaryKey.map(({ name, type }, index) => {
        // As the role sees it: where a cell is hidden, nothing equals it.
        const value = visible.select!.readable.get(name)!.value(alias);
        return compare(asOperand(value, type), '=', type, columnOf(wanted, keyName(index)));
      }),
    rule: (alias) => rowRule(visible, alias),
    stored: true,
  };
  const base = baseRows(visible, new Map(), rowsOfTable, false, selection.argumentsPath, scope);
  const object = jsonObjectOf(rowEntries(selection, base.visible, base.alias, scope), scope);
  const place = columnOf(wanted, POSITION);
  const found = selectStatement({
    distinct: mayRepeatKey(shape) ? [place] : [],
    columns: join([place, sql`${object} as "object"`], ', '),
    from: base.from,
    where: base.where,
  });
  const value = sql`${builtIn('coalesce', sql`${rows}."object"`, raw(`'null'`))} order by ${columnOf(all, POSITION)}`;
  const position = identifier(POSITION);
  const every = builtIn('generate_series', raw('1'), builtIn('cardinality', keys[0]!));
  const list = selectStatement({
    columns: builtIn('coalesce', jsonList(value), raw(`'[]'`)),
    from: [
      { rows: every, alias: all, columns: [position] },
      { join: 'left join', rows: nested(found), alias: rows, using: position },
    ],
  });
  return {
    typeName,
    source: source.name,
    sql: nested(list),
    selection,
  };
}

/** Place of a representation among those of its type. */
const POSITION = 'position';

function keyName(index: number): string {
  return `key ${index + 1}`;
}

/** The fields that are selected of a type, in the order of the document. */
function ofType({ fields, items, argumentsPath }: Selection, typeName: string): Selection {
  const all = (items ?? fields).flatMap((item) => {
    if ('responseName' in item) return [item];
    return item.typeName === typeName ? item.fields : [];
  });
  const byName = new Map<string, SelectedField>();
  for (const field of all) if (!byName.has(field.responseName)) byName.set(field.responseName, field);
  return { typeName, argumentsPath, fields: [...byName.values()] };
}

/** True if the shapes of variables say which types a value names. */
function hasFixedTypes(source: ParameterSource): boolean {
  if (source.from === 'list') return source.items.every(hasFixedTypes);
  if (source.from !== 'object') return true;
  return source.fields.every(([name, value]) => name !== '__typename' || value.from === 'constant');
}
