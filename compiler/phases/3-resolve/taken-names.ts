/**
 * Names of root fields and types that tables, functions and actions have, so that remote schemas cannot have them, and then with
 * those of remote schemas, so that extensions cannot.
 */
import type { ActionsProgram } from '../../../runtime/core/action/shapes.ts';
import { linkProgram } from '../../../runtime/core/program/program.ts';
import { lazy } from '../../../runtime/core/remember.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { functionOwner, rootTypeOf } from './conflict.ts';
import { objectMeaning } from './remote-meaning.ts';
import type { SourceStructure, Structure } from './structure.ts';
import type { TakenType } from './type-register.ts';

/** Taken names and their owners. */
export interface TakenNames {
  /** `query user`, `query namespace`, `query namespace.user` → owner. */
  readonly roots: Map<string, string>;
  /** Name of a type → owner. */
  readonly types: Map<string, string>;
  /** Types that several things may have if theirs is the same: scalars, comparisons. */
  readonly shared: ReadonlyMap<string, TakenType>;
  /** The meaning of a table's object type, as `typeMeaning` has it; undefined for other types. */
  readonly objectMeaning: (type: string) => string | undefined;
}

export const noNames = (): TakenNames => ({
  roots: new Map(),
  types: new Map(),
  shared: new Map(),
  objectMeaning: () => undefined,
});

export function takenNames({ sources, types }: Structure, actions: ActionsProgram | undefined): TakenNames {
  return {
    roots: takenRoots(sources, actions),
    ...takenTypes(types, actions),
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
      for (const { name } of rootFields) take(exposedAs, name, functionOwner(shape, source));
  }
  return taken;
}

function takenTypes(
  ofSources: Structure['types'],
  actions: ActionsProgram | undefined,
): Pick<TakenNames, 'types' | 'shared'> {
  const types: TakenNames['types'] = new Map();
  const shared = new Map<string, TakenType>();
  for (const [name, taken] of ofSources) {
    if (taken.apart) continue;
    if (taken.form === undefined) types.set(name, taken.ownerInSource ?? taken.owner);
    else shared.set(name, taken);
  }
  const { objects = {}, inputs = {}, enums = {} } = actions?.types ?? {};
  const results = (actions?.actions ?? []).filter(({ kind }) => kind === 'asynchronous');
  for (const name of [
    ...Object.keys({ ...objects, ...inputs, ...enums }),
    ...results.map((each) => each.name),
  ])
    types.set(name, 'a custom type of actions');
  return { types, shared };
}
