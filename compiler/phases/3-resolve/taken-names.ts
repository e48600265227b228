/**
 * Names of root fields and types that tables, functions and actions have, so that remote schemas cannot have them, and then with
 * those of remote schemas, so that extensions cannot.
 */
import type { ActionsProgram } from '../../../runtime/core/action/shapes.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import { rootTypeOf } from './conflict.ts';
import type { SourceStructure } from './structure.ts';

/** Taken names and their owners. */
export interface TakenNames {
  /** `query user`, `query namespace`, `query namespace.user` → owner. */
  readonly roots: Map<string, string>;
  /** Name of a type → owner. */
  readonly types: Map<string, string>;
}

export const noNames = (): TakenNames => ({ roots: new Map(), types: new Map() });

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
  return { roots: takenRoots(sources, actions), types: takenTypes(sources, actions) };
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
