/** Types of the relay API: nodes, connections, edges, page information. */
import type { RoleSchema } from '../schema/role-schema.ts';
import { BOOLEAN, COUNT_SCALAR, ID, STRING, typename } from '../schema/shared-types.ts';
import type { TableTypes } from '../schema/table-types.ts';
import {
  type AbstractType,
  type ArgumentDefinition,
  byName,
  type FieldDefinition,
  type FieldMeaning,
  listOf,
  nonNull,
  type ObjectType,
  type ScalarType,
  type TypeReference,
} from '../schema/types.ts';
import type { VisibleTable } from '../schema/visible-table.ts';

/** Whether the rows of a table are nodes: the role sees the primary key of every row that it sees. */
export function isNode({ table, select }: VisibleTable): boolean {
  const { primaryKey } = table;
  return (
    primaryKey.length > 0 &&
    primaryKey.every(({ name }) => {
      const column = select?.columns.get(name);
      return column !== undefined && !column.nullable;
    })
  );
}

/** The global id of a node. */
export const NODE_ID: FieldDefinition = {
  name: 'id',
  description: 'a globally unique id',
  arguments: new Map(),
  type: nonNull(ID),
  meaning: { kind: 'nodeId' },
};

/** The interface of all nodes of a role. */
export function nodeInterface(role: RoleSchema): AbstractType {
  return {
    kind: 'interface',
    name: 'Node',
    description: 'An object with globally unique ID',
    fields: () => byName([NODE_ID, typename()]),
    possible: () =>
      new Map(
        role.program.tables.flatMap((table): [string, ObjectType][] =>
          isNode(role.table(table)) ? [[table.names.object, role.types(table).object()]] : [],
        ),
      ),
  };
}

/** An id that decides about the plan: it names the table. */
const NODE_ID_ARGUMENT: ScalarType = { kind: 'scalar', name: 'ID', accepts: 'node' };

/** The root field `node`. */
export function nodeField(role: RoleSchema, root: 'query' | 'subscription'): FieldDefinition {
  return {
    name: 'node',
    arguments: byName([{ name: 'id', description: 'A globally unique id', type: nonNull(NODE_ID_ARGUMENT) }]),
    type: role.node(),
    meaning: { kind: 'node', root },
  };
}

const CURSOR: ScalarType = { kind: 'scalar', name: 'String', accepts: 'cursor' };

type Part = Extract<FieldMeaning, { kind: 'connection' }>['part'];

function part(name: Part, type: TypeReference): FieldDefinition {
  return { name, arguments: new Map(), type, meaning: { kind: 'connection', part: name } };
}

const PAGE_INFO: ObjectType = {
  kind: 'object',
  name: 'PageInfo',
  fields: () =>
    byName([
      part('hasNextPage', nonNull(BOOLEAN)),
      part('hasPreviousPage', nonNull(BOOLEAN)),
      part('startCursor', nonNull(STRING)),
      part('endCursor', nonNull(STRING)),
      typename(),
    ]),
};

/** `<t>Connection`. */
export function connectionType({ visible, object }: Pick<TableTypes, 'visible' | 'object'>): ObjectType {
  const { names } = visible.table;
  const edge: ObjectType = {
    kind: 'object',
    name: `${names.object}Edge`,
    fields: () => byName([part('cursor', nonNull(STRING)), part('node', nonNull(object())), typename()]),
  };
  return {
    kind: 'object',
    name: `${names.object}Connection`,
    description: `A Relay connection object on "${names.object}"`,
    fields: () =>
      byName([
        part('edges', nonNull(listOf(nonNull(edge)))),
        part('pageInfo', nonNull(PAGE_INFO)),
        typename(),
      ]),
  };
}

/** Arguments of a connection: those of a list, with pages instead of limit and offset. */
export function connectionArguments({
  listArguments,
}: Pick<TableTypes, 'listArguments'>): ReadonlyMap<string, ArgumentDefinition> {
  const others = [...listArguments().values()].filter(({ name }) => name !== 'limit' && name !== 'offset');
  return byName([
    { name: 'after', type: CURSOR },
    { name: 'before', type: CURSOR },
    { name: 'first', type: COUNT_SCALAR },
    { name: 'last', type: COUNT_SCALAR },
    ...others,
  ]);
}
