/** `node(id)`: the row that a global id names, if the role may look it up by its key. */
import { EngineError, type Path } from '../errors.ts';
import { type Scope, sourceOf } from '../query/scope.ts';
import { singleRow } from '../query/select.ts';
import { rowRule, seen } from '../query/visible.ts';
import { onlyOne } from '../query/where.ts';
import { sourceValue } from '../request/bind.ts';
import type { SelectedField, Selection } from '../request/selection.ts';
import { isLookedUpByKey } from '../schema/key-lookup.ts';
import type { ObjectType } from '../schema/types.ts';
import type { Sql } from '../sql/fragment.ts';
import { asOperand, compare } from '../sql/operand.ts';
import { typedParameter } from '../sql/spatial.ts';
import { columnOf } from '../sql/statement.ts';
import { keyValuesOf, readNodeId, tableOfNode } from './node-id.ts';
import { isNode } from './types.ts';

interface PlannedNode {
  readonly source: string;
  /** Yields the JSON of the row, or null. */
  readonly sql: Sql;
  readonly selection: Selection;
}

/** @throws EngineError for an id of no table that the role may look up */
export function planNode(
  { arguments: given, selection }: SelectedField,
  root: 'query' | 'subscription',
  variables: Readonly<Record<string, unknown>>,
  scope: Scope,
): PlannedNode {
  const node = given.get('id')!;
  const { roleSchema } = scope;
  const id = readNodeId(sourceValue(sourceOf(node), variables));
  if (!id) throw invalid('it is not made by this server', node.path);
  const table = tableOfNode(id, roleSchema.program);
  const visible = table && roleSchema.table(table);
  const isOffered =
    visible !== undefined && isNode(visible) && isLookedUpByKey(roleSchema, visible.table, root);
  // The same words for a table that does not exist and for one that the role does not see.
  if (!isOffered) throw invalid(`no node is of the table ${id.schema}.${id.name}`, node.path);
  const alias = scope.alias(visible.table.shape.name);
  const key = visible.table.primaryKey.map((column, index) => {
    const encode = (value: unknown) => {
      const own = readNodeId(value);
      const values = own && keyValuesOf(own, visible.table.primaryKey);
      if (!values) throw invalid('its values are not of the types of the key', node.path);
      return values[index]!;
    };
    const part = { as: 'part', part: `key ${index}` } as const;
    const value = typedParameter(column.type, sourceOf(node), encode, node.path, part);
    return compare(asOperand(columnOf(alias, column.name), column.type), '=', column.type, value);
  });
  const where = [...key, ...rowRule(visible, alias)];
  const selected = ofType(selection, roleSchema.types(visible.table).object());
  return {
    source: visible.table.source.name,
    sql: singleRow(
      seen(visible),
      selected,
      visible.table.sql,
      alias,
      { where, ...onlyOne(visible.table) },
      scope,
    ),
    selection: selected,
  };
}

/** The selection on an object type, in the order of the document: fields of the interface, and of fragments on the type. */
function ofType({ fields, items, argumentsPath }: Selection, type: ObjectType): Selection {
  const all = (items ?? fields).flatMap((item) => {
    if ('responseName' in item) return [{ ...item, definition: type.fields().get(item.definition.name)! }];
    return item.typeName === type.name ? item.fields : [];
  });
  const byName = new Map<string, SelectedField>();
  for (const field of all) if (!byName.has(field.responseName)) byName.set(field.responseName, field);
  return { typeName: type.name, argumentsPath, fields: [...byName.values()] };
}

function invalid(why: string, path: Path): EngineError {
  return new EngineError('validation-failed', `invalid node id: ${why}`, { path });
}
