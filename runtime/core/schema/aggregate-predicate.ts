/** Predicates over the aggregates of an array relationship, as one role sees them. */
import { displayName } from '../names.ts';
import type { Column } from '../program/program.ts';
import { lazy, remember } from '../remember.ts';
import { type ColumnType, columnType } from '../types.ts';
import type { RoleSchema } from './role-schema.ts';
import { BOOLEAN, sharedTypes } from './shared-types.ts';
import {
  byName,
  type EnumType,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
  type TypeReference,
} from './types.ts';
import type { VisibleColumn, VisibleTable } from './visible-table.ts';

interface PredicateFunction {
  readonly name: string;
  /** Type of the columns it takes and of its result. */
  readonly type: 'bool' | 'float8';
  /** True if it takes two columns, `X` and `Y`. */
  readonly pair?: true;
}

/** Functions besides `count`. */
export const PREDICATE_FUNCTIONS: readonly PredicateFunction[] = [
  { name: 'avg', type: 'float8' },
  { name: 'bool_and', type: 'bool' },
  { name: 'bool_or', type: 'bool' },
  { name: 'corr', type: 'float8', pair: true },
  { name: 'covar_samp', type: 'float8', pair: true },
  { name: 'max', type: 'float8' },
  { name: 'min', type: 'float8' },
  { name: 'stddev_samp', type: 'float8' },
  { name: 'sum', type: 'float8' },
  { name: 'var_samp', type: 'float8' },
];

/** Memo: what a role sees of a table never changes. */
const cache = new WeakMap<VisibleTable, InputType>();

/** `<rt>_aggregate_bool_exp` of the target of an array relationship. */
export function aggregatePredicate(visible: VisibleTable, role: RoleSchema): InputType {
  return remember(cache, visible, () => createPredicate(visible, role));
}

function createPredicate(visible: VisibleTable, role: RoleSchema): InputType {
  const { names, source } = visible.table;
  const shared = sharedTypes(source);
  const columns = [...(visible.select?.columns.values() ?? [])];

  return {
    kind: 'input',
    isClause: true,
    name: names.aggregatePredicate,
    fields: lazy(() => byName(functions())),
  };

  function functions(): InputFieldDefinition[] {
    const selectable = role.types(visible.table).selectColumn();
    const counted = selectable && listOf(nonNull(selectable));
    return [
      field('count', columnType(source, 'int4'), counted),
      ...PREDICATE_FUNCTIONS.flatMap((each) => {
        const suitable = columns.filter(({ column }) => takes(each, column));
        if (suitable.length === 0) return [];
        return [field(each.name, columnType(source, each.type), nonNull(argumentsOf(each, suitable)))];
      }),
    ];
  }

  function field(name: string, type: ColumnType, given: TypeReference | undefined): InputFieldDefinition {
    const plain = { kind: 'plain' } as const;
    const filter = role.types(visible.table).booleanExpression();
    const predicate: InputType = {
      kind: 'input',
      isClause: true,
      name: names.predicateOf(name).type,
      fields: lazy(() =>
        byName<InputFieldDefinition>([
          ...(given ? [{ name: 'arguments', type: given, meaning: plain }] : []),
          { name: 'distinct', type: BOOLEAN, meaning: plain },
          { name: 'filter', type: filter, meaning: plain },
          { name: 'predicate', type: nonNull(shared.comparisonOf(type)), meaning: plain },
        ]),
      ),
    };
    return { name, type: predicate, meaning: { kind: 'aggregateFunction', function: name, returns: type } };
  }

  function argumentsOf(called: PredicateFunction, suitable: readonly VisibleColumn[]): EnumType | InputType {
    const own = names.predicateOf(called.name);
    const table = displayName(visible.table.shape.schema, visible.table.shape.name);
    const column: EnumType = {
      kind: 'enum',
      name: own.columns,
      description: `select "${own.title}" columns of table "${table}"`,
      values: new Map(
        suitable.map((each) => [each.field, { value: each.column.name, description: 'column name' }]),
      ),
    };
    if (!called.pair) return column;
    const meaning = { kind: 'plain' } as const;
    return {
      kind: 'input',
      isClause: true,
      name: own.arguments,
      fields: lazy(() =>
        byName([
          { name: 'X', type: nonNull(column), meaning },
          { name: 'Y', type: nonNull(column), meaning },
        ]),
      ),
    };
  }
}

function takes({ type }: PredicateFunction, column: Column): boolean {
  return column.type.name === type && !column.enumTable;
}
