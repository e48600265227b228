/**
 * The legacy `select`, put as a GraphQL query: names of columns become fields, `$and` and `$eq` become `_and` and `_eq`,
 * a bare value becomes `_eq`. What a role may see is decided where it is decided for GraphQL.
 */
import type { Json, JsonObject, QualifiedName } from '../../../compiler/model/metadata.ts';
import { EngineError, pathStep } from '../../core/errors.ts';
import type { Program, Table } from '../../core/program.ts';
import type { GraphqlRequest } from '../../core/request/planner.ts';
import type { SelectView, TableView } from '../../core/schema/table-view.ts';
import { ADMIN_ROLE, type Session } from '../../core/session.ts';
import { quoted } from '../names.ts';

/** Which rows, in which order. */
export interface RowsWanted {
  readonly where?: JsonObject;
  readonly order_by?: Json;
  readonly limit?: number;
  readonly offset?: number;
}

/** `columns` of a select: names, `"*"`, `"*.*"`, or relationships with columns of their own. */
export interface SelectArguments extends RowsWanted {
  readonly columns: readonly Json[];
}

/** The query, and how to find the rows in its answer. */
export interface SelectRequest {
  readonly request: GraphqlRequest;
  readonly rows: (answer: string) => Json;
}

/** The tracked table as the session's role sees it; throws `not-exists` or `permission-denied`. */
export function readableTable(
  program: Program,
  session: Session,
  source: string,
  name: QualifiedName,
): { readonly view: TableView; readonly select: SelectView } {
  const table = program.tables.find(
    ({ shape }) => shape.source.name === source && shape.schema === name.schema && shape.name === name.name,
  );
  if (table === undefined) {
    throw new EngineError('not-exists', `table ${quoted(name)} does not exist`, { path: '$.table' });
  }
  const view = program.view(session.role, session.backendOnly).table(table);
  if (view.select === undefined) throw notAllowed('select', table, session.role);
  return { view, select: view.select };
}

/** Puts a select as a GraphQL query. Paths of errors begin with `$` for the arguments. */
export function selectRequest(view: TableView, args: SelectArguments, session: Session): SelectRequest {
  const { table } = view;
  const root = Object.entries(table.resolvers.query ?? {}).find(([, { field }]) => field === 'select')?.[0];
  if (root === undefined) throw notAllowed('select', table, session.role);
  const variables = new Variables();
  const field = `rows: ${root}${rowArguments(view, args, '$', variables, session)} ${selection(view, args.columns, '$', variables, session)}`;
  const namespace = table.source.rootNamespace;
  const body = namespace === undefined ? field : `namespace: ${namespace} { ${field} }`;
  return {
    request: { query: `query${variables.declarations()} { ${body} }`, variables: variables.values },
    rows: (answer) => {
      const { data } = JSON.parse(answer) as { data: { rows?: Json; namespace?: { rows: Json } } };
      return data.namespace?.rows ?? data.rows ?? [];
    },
  };
}

/** The variables of a query that is being written. */
class Variables {
  readonly values: Record<string, Json> = {};
  readonly #types: string[] = [];

  /** Adds a value of a GraphQL type, and gives the text that stands for it. */
  add(type: string, value: Json): string {
    const name = `v${this.#types.length}`;
    this.#types.push(`$${name}: ${type}`);
    this.values[name] = value;
    return `$${name}`;
  }

  declarations(): string {
    return this.#types.length === 0 ? '' : `(${this.#types.join(', ')})`;
  }
}

function rowArguments(
  view: TableView,
  args: RowsWanted,
  path: string,
  variables: Variables,
  session: Session,
): string {
  const { names } = view.table;
  const given: string[] = [];
  if (args.where !== undefined && Object.keys(args.where).length > 0) {
    const where = condition(view, args.where, `${path}.where`, session);
    given.push(`where: ${variables.add(`${names.derived('bool_exp')}!`, where)}`);
  }
  if (args.order_by !== undefined) {
    const order = orderBy(view, args.order_by, `${path}.order_by`, session);
    if (order.length > 0) given.push(`order_by: ${variables.add(`[${names.derived('order_by')}!]`, order)}`);
  }
  for (const key of ['limit', 'offset'] as const) {
    const value = args[key];
    if (value === undefined) continue;
    if (value < 0)
      throw new EngineError('not-supported', 'unexpected negative value', { path: `${path}.${key}` });
    given.push(`${key}: ${value}`);
  }
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

function selection(
  view: TableView,
  columns: readonly Json[],
  path: string,
  variables: Variables,
  session: Session,
): string {
  const fields = columns.flatMap((column, index) =>
    selectedFields(view, column, pathStep(`${path}.columns`, index), variables, session),
  );
  return `{ ${fields.length === 0 ? '__typename' : fields.join(' ')} }`;
}

function selectedFields(
  view: TableView,
  column: Json,
  path: string,
  variables: Variables,
  session: Session,
): readonly string[] {
  const select = view.select!;
  if (column === '*' || column === '*.*') {
    const own = [...select.columns].map(([name, { field }]) => `${name}: ${field}`);
    if (column === '*') return own;
    const nested = select.relationships.map(
      ({ relationship, view: target }) =>
        `${relationship.name}: ${relationship.field} ${selection(target, ['*'], path, variables, session)}`,
    );
    return [...own, ...nested];
  }
  if (typeof column === 'string') return [`${column}: ${columnField(view, column, path, session)}`];
  if (column === null || typeof column !== 'object' || Array.isArray(column)) {
    throw new EngineError('parse-failed', 'Expecting a column name or an object with a relationship', {
      path,
    });
  }
  const { name, alias, columns, ...rows } = column as JsonObject;
  if (typeof name !== 'string' || !Array.isArray(columns)) {
    const missing = typeof name === 'string' ? 'columns' : 'name';
    throw new EngineError('parse-failed', `key "${missing}" not found`, { path });
  }
  const { relationship, view: target } = findRelationship(view, name, path, session);
  const rowsWanted = relationship.shape.kind === 'array' ? (rows as RowsWanted) : {};
  const args = rowArguments(target, rowsWanted, path, variables, session);
  const shown = typeof alias === 'string' ? alias : name;
  return [`${shown}: ${relationship.field}${args} ${selection(target, columns, path, variables, session)}`];
}

/** Keys of an expression that combine others; legacy spellings begin with `$`. */
function condition(view: TableView, expression: JsonObject, path: string, session: Session): JsonObject {
  const parts = Object.entries(expression).map(([key, value]) => {
    const at = pathStep(path, key);
    const nested = (part: Json, place: string) => condition(view, objectAt(part, place), place, session);
    switch (underscored(key)) {
      case '_and':
      case '_or': {
        const list = Array.isArray(value) ? value : [value];
        return [underscored(key), list.map((part, index) => nested(part, pathStep(at, index)))] as const;
      }
      case '_not':
        return ['_not', nested(value, at)] as const;
      default:
        return fieldCondition(view, key, value, at, session);
    }
  });
  return Object.fromEntries(parts);
}

function fieldCondition(
  view: TableView,
  key: string,
  value: Json,
  path: string,
  session: Session,
): readonly [string, Json] {
  const related = view.select!.relationships.find(({ relationship }) => relationship.name === key);
  if (related !== undefined) {
    const nested = condition(related.view, objectAt(value, path), path, session);
    return [related.relationship.field, nested];
  }
  return [columnField(view, key, path, session), operators(value)];
}

/** `{$eq: 1}`, or a bare value. */
function operators(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { _eq: value };
  const entries = Object.entries(value as JsonObject);
  if (entries.some(([operator]) => !/^[_$]/.test(operator))) return { _eq: value };
  return Object.fromEntries(
    entries.map(([operator, operand]) => [underscored(operator).replace(/^_ne$/, '_neq'), operand]),
  );
}

function underscored(key: string): string {
  return key.startsWith('$') ? `_${key.slice(1)}` : key;
}

function orderBy(view: TableView, given: Json, path: string, session: Session): JsonObject[] {
  const list = Array.isArray(given) ? given : [given];
  return list.map((item: Json, index) => {
    const at = pathStep(path, index);
    if (typeof item === 'string') {
      const [, sign, column] = /^([+-]?)(.*)$/s.exec(item)!;
      return orderItem(view, column!.split('.'), sign === '-' ? 'desc' : 'asc', at, session);
    }
    const { column, type, nulls } = objectAt(item, at);
    if (typeof column !== 'string')
      throw new EngineError('parse-failed', 'key "column" not found', { path: at });
    const direction = typeof type === 'string' ? type.toLowerCase() : 'asc';
    const order = typeof nulls === 'string' ? `${direction}_nulls_${nulls.toLowerCase()}` : direction;
    return orderItem(view, column.split('.'), order, at, session);
  });
}

function orderItem(
  view: TableView,
  [first = '', ...rest]: readonly string[],
  order: string,
  path: string,
  session: Session,
): JsonObject {
  if (rest.length === 0) return { [columnField(view, first, path, session)]: order };
  const { relationship, view: target } = findRelationship(view, first, path, session);
  return { [relationship.field]: orderItem(target, rest, order, path, session) };
}

function findRelationship(
  view: TableView,
  name: string,
  path: string,
  session: Session,
): SelectView['relationships'][number] {
  const found = view.select!.relationships.find(({ relationship }) => relationship.name === name);
  if (found !== undefined) return found;
  const hidden = view.table.relationships.get(name);
  if (hidden !== undefined) throw notAllowed('select', hidden.target, session.role, path);
  throw new EngineError('not-exists', `relationship "${name}" does not exist`, { path });
}

/** The field of a column that the role may read; throws as the reference says it for admin and for others. */
function columnField(view: TableView, name: string, path: string, session: Session): string {
  const found = view.select!.columns.get(name);
  if (found !== undefined) return found.field;
  if (session.role === ADMIN_ROLE) {
    throw new EngineError('not-exists', `no such column exists: "${name}"`, { path });
  }
  throw new EngineError(
    'permission-denied',
    `role "${session.role}" does not have permission to select column "${name}"`,
    { path },
  );
}

function objectAt(value: Json | undefined, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new EngineError('parse-failed', 'parsing Object failed, expected Object', { path });
}

function notAllowed(verb: string, table: Table, role: string, path = '$'): EngineError {
  const { schema, name } = table.shape;
  return new EngineError(
    'permission-denied',
    `${verb} on ${quoted({ schema, name })} for role "${role}" is not allowed. `,
    {
      path,
    },
  );
}
