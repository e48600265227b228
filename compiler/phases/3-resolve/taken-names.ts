/**
 * Names of root fields and types that tables, functions and actions have, so that remote schemas cannot have them, and then with
 * those of remote schemas, so that extensions cannot.
 */
import type { ActionsProgram } from '../../../runtime/core/action/shapes.ts';
import { linkProgram } from '../../../runtime/core/program.ts';
import { lazy } from '../../../runtime/core/remember.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { rootTypeOf } from './conflict.ts';
import { objectMeaning } from './remote-meaning.ts';
import type { SourceStructure } from './structure.ts';

/** Taken names and their owners. */
export interface TakenNames {
  /** `query user`, `query namespace`, `query namespace.user` → owner. */
  readonly roots: Map<string, string>;
  /** Name of a type → owner. */
  readonly types: Map<string, string>;
  /** The meaning of a table's object type, as `typeMeaning` has it; undefined for other types. */
  readonly objectMeaning: (type: string) => string | undefined;
}

export const noNames = (): TakenNames => ({
  roots: new Map(),
  types: new Map(),
  objectMeaning: () => undefined,
});

/** Types that derive from a table. */
const DERIVED = [
  ...['aggregate', 'aggregate_fields', 'aggregate_order_by', 'aggregate_bool_exp', 'bool_exp', 'order_by'],
  ...['constraint', 'on_conflict', 'insert_input', 'set_input', 'inc_input', 'pk_columns_input', 'updates'],
  ...['mutation_response', 'select_column', 'update_column', 'arr_rel_insert_input', 'obj_rel_insert_input'],
  ...['stream_cursor_input', 'stream_cursor_value_input', 'min_fields', 'max_fields'],
];

export function takenNames(
  sources: readonly SourceStructure[],
  actions: ActionsProgram | undefined,
): TakenNames {
  return {
    roots: takenRoots(sources, actions),
    types: takenTypes(sources, actions),
    objectMeaning: objectMeanings(sources),
  };
}

/** Object types of tables as an administrator is served them. */
function objectMeanings(sources: readonly SourceStructure[]): TakenNames['objectMeaning'] {
  const schema = lazy(() => {
    const tables = sources.flatMap(({ tables: own }) =>
      own.map(({ shape }) => ({ table: { ...shape, fields: {} } })),
    );
    const shapes = sources.map(({ scope }) => scope.shape);
    const options = { inferFunctionPermissions: true };
    return linkProgram({ sources: shapes, tables, functions: [] }, options).roleSchema(ADMIN_ROLE, false);
  });
  return (type) => {
    const isTable = sources.some(({ scope, tables }) =>
      tables.some(({ shape }) => typeNames({ ...shape, source: scope.shape }).object === type),
    );
    if (!isTable) return undefined;
    const objects = schema().program.tables.map((table) => schema().types(table).object());
    const found = objects.find(({ name }) => name === type);
    return found && objectMeaning(found);
  };
}

/** Root fields of tables, functions and actions. */
function takenRoots(
  sources: readonly SourceStructure[],
  actions: ActionsProgram | undefined,
): TakenNames['roots'] {
  const taken: TakenNames['roots'] = new Map();
  for (const { name, type, kind } of actions?.actions ?? []) {
    const roots = kind === 'asynchronous' ? ['query', 'mutation'] : [type];
    for (const root of roots) taken.set(`${root} ${name}`, `action ${name}`);
  }
  for (const { scope, tables, functions } of sources) {
    const { rootNamespace, name: source } = scope.shape;
    const take = (root: string, field: string, owner: string) => {
      const names = rootNamespace === undefined ? [field] : [rootNamespace, `${rootNamespace}.${field}`];
      for (const name of names) {
        taken.set(`${root} ${name}`, owner);
        if (root === 'query') taken.set(`subscription ${name}`, owner);
      }
    };
    for (const { key, rootFields } of tables)
      for (const field of rootFields)
        take(rootTypeOf(field).replace('_root', ''), field.name, `table ${key} in source ${source}`);
    for (const { exposedAs, rootFields, shape } of functions)
      for (const { name } of rootFields) take(exposedAs, name, `function ${shape.name} in source ${source}`);
  }
  return taken;
}

function takenTypes(
  sources: readonly SourceStructure[],
  actions: ActionsProgram | undefined,
): TakenNames['types'] {
  const taken: TakenNames['types'] = new Map(
    ['query_root', 'mutation_root', 'subscription_root'].map((root) => [root, 'the API']),
  );
  const { objects = {}, inputs = {}, enums = {} } = actions?.types ?? {};
  for (const name of Object.keys({ ...objects, ...inputs, ...enums }))
    taken.set(name, 'a custom type of actions');
  for (const { scope, tables } of sources) {
    for (const { key, shape } of tables) {
      const names = typeNames({ ...shape, source: scope.shape });
      const owner = `table ${key} in source ${scope.shape.name}`;
      for (const name of [names.object, ...DERIVED.map(names.derived)]) taken.set(name, owner);
    }
  }
  return taken;
}
