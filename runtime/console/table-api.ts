/** A table as a role reads and writes it, from the role's GraphQL schema, also where the role may not introspect it. */
import { EngineError, pathStep } from '../core/errors.ts';
import type { Column, Program, Relationship, Table } from '../core/program/program.ts';
import { userArguments } from '../core/schema/function-arguments.ts';
import { mutationTypes } from '../core/schema/mutation-types.ts';
import { offer } from '../core/schema/offer.ts';
import type { RoleSchema } from '../core/schema/role-schema.ts';
import { columnGraphqlType, scalarOf, sharedTypes } from '../core/schema/shared-types.ts';
import {
  type InputFieldDefinition,
  type InputType,
  listOf,
  namedType,
  nonNull,
  printType,
} from '../core/schema/types.ts';
import type { VisibleRows, VisibleTable } from '../core/schema/visible-table.ts';
import { jsonKind } from '../core/types.ts';
import { sessionOf } from './asked-session.ts';
import type { ApiColumn, ApiInput, ApiRelationship, ApiWord, ApiWrite, TableApi } from './data-questions.ts';
import { inWords, relationWords } from './permission.ts';

/**
 * @param body `{source, name, user}`: the table by its key, `public.ticket`, and the headers of a session
 * @throws EngineError where the body cannot be read, or no such table is served
 */
export function tableApi(program: Program, body: unknown): TableApi {
  const { source, name, user } = objectOf(body);
  const found = program.tables.find(({ key, shape }) => key === name && shape.source.name === source);
  if (!found)
    throw new EngineError('not-found', `no table "${name}" of the source "${source}" is served`, {
      path: '$',
      status: 404,
    });
  const { role, backendOnly } = sessionOf(user, program.vocabulary);
  return describe(found, program.roleSchema(role, backendOnly));
}

function objectOf(body: unknown) {
  if (jsonKind(body) !== 'Object')
    throw new EngineError(
      'parse-failed',
      `expected an object with the keys "source", "name" and "user", but encountered ${jsonKind(body)}`,
    );
  const { source, name, user } = body as Record<string, unknown>;
  for (const [key, value] of Object.entries({ source, name }))
    if (typeof value !== 'string')
      throw new EngineError('parse-failed', `expected String, but encountered ${jsonKind(value)}`, {
        path: pathStep('$', key),
      });
  return { source, name, user } as { readonly source: string; readonly name: string; readonly user: unknown };
}

const WORDS: readonly ApiWord[] = [
  ...(['order_by', 'affected_rows', '_set', '_is_null'] as const),
  ...(['_eq', '_gt', '_gte', '_lt', '_lte'] as const),
];

function describe(table: Table, schema: RoleSchema): TableApi {
  const visible = schema.table(table);
  const { select } = visible;
  const shared = sharedTypes(table.source);
  const [[asc = 'asc'] = [], [desc = 'desc'] = []] = ['asc', 'desc'].map((order) =>
    [...shared.orderBy.values].flatMap(([name, { value }]) => (value === order ? [name] : [])),
  );
  const types = schema.types(table);
  const conditions = select ? types.booleanExpression().fields() : new Map<string, InputFieldDefinition>();
  const columns = select
    ? columnsOf(table, select, conditions, inWords(select.texts.cells ?? {}, schema.program.vocabulary))
    : [];
  const path = pathOf(visible, schema);
  const [rows, aggregate] = [path('query', 'select'), path('query', 'select_aggregate')];
  const [insert, update, remove] = (['insert', 'update', 'delete'] as const).map((kind) =>
    path('mutation', kind),
  );
  const writes = mutationTypes(visible, schema);
  const set = update && writes.updateOperators().find(({ name }) => name === shared.name('_set'))?.type;
  return {
    kind: relationWords(table.shape.kind),
    columns,
    key: keyOf(table, columns),
    relationships: (select?.relationships ?? []).map(relationshipOf(select)),
    ...(rows &&
      select && {
        select: {
          path: rows,
          ...(select.limit !== undefined && { limit: select.limit }),
          where: types.booleanExpression().name,
          orderBy: types.orderBy().name,
        },
      }),
    ...(aggregate && { aggregate }),
    ...(insert && {
      insert: writeOf(insert, writes.insertInput().name, writes.insertColumns(), (column) =>
        Boolean(column.shape.notNull && !column.shape.hasDefault),
      ),
    }),
    ...(update && set && { update: writeOf(update, printType(set), inputs(set), () => false) }),
    ...(remove && { delete: { path: remove } }),
    operators: operatorsOf(columns, conditions),
    words: {
      ...(Object.fromEntries(WORDS.map((word) => [word, shared.name(word)])) as Record<ApiWord, string>),
      asc,
      desc,
    },
  };
}

type Root = 'query' | 'mutation';

/** Gives the path of the table's root field of a kind, where the role is offered it. */
function pathOf({ table, rules }: VisibleTable, { backendOnly }: RoleSchema) {
  const { rootNamespace } = table.source;
  return (root: Root, kind: 'select' | 'select_aggregate' | 'insert' | 'update' | 'delete') => {
    const [name] = [...table.fields[root]].find(([, { field }]) => field === kind) ?? [];
    if (name === undefined || offer(table.shape, rules, { kind, root }, backendOnly) !== true)
      return undefined;
    return rootNamespace === undefined ? [name] : [rootNamespace, name];
  };
}

function columnsOf(
  table: Table,
  { columns, computedFields }: VisibleRows,
  conditions: ReadonlyMap<string, InputFieldDefinition>,
  /** The rules of columns whose values only some rows show. */
  masks: Readonly<Record<string, string>>,
): ApiColumn[] {
  const shared = sharedTypes(table.source);
  const common = (name: string, field: string) => {
    const condition = conditions.get(field);
    return {
      field,
      ...(condition && { condition: namedType(condition.type).name }),
      ...(Object.hasOwn(masks, name) && { mask: masks[name]! }),
    };
  };
  const own = [...columns.values()].map(({ column, field, nullable }) => ({
    ...common(column.name, field),
    type: printType(columnGraphqlType(column, shared)),
    nullable,
  }));
  const computed = computedFields.flatMap((computedField): ApiColumn[] => {
    const { returns, name, field } = computedField;
    if ('table' in returns || userArguments(computedField).some(() => true)) return [];
    const scalar = scalarOf(returns.type);
    const type = printType(returns.type.element ? listOf(nonNull(scalar)) : scalar);
    return [{ ...common(name, field), type, nullable: true, isComputed: true }];
  });
  return [...own, ...computed];
}

/** The primary key, unless the role lacks a column of it or sees it in some rows only. */
function keyOf({ primaryKey }: Table, columns: readonly ApiColumn[]): string[] {
  const fields = primaryKey.map(({ field }) => columns.find((column) => column.field === field));
  return fields.every((column) => column !== undefined && column.mask === undefined)
    ? fields.map((column) => column!.field)
    : [];
}

function relationshipOf(select: VisibleRows | undefined) {
  return ({
    relationship: { field, shape, target, columns },
    visible,
  }: {
    readonly relationship: Relationship;
    readonly visible: VisibleTable;
  }): ApiRelationship => {
    const pairs = columns.map(([own, other]) => [
      select?.columns.get(own.name)?.field,
      visible.select?.columns.get(other.name)?.field,
    ]);
    return {
      field,
      kind: shape.kind,
      source: target.source.name,
      table: target.key,
      ...(pairs.every((pair) => !pair.includes(undefined)) && { fields: Object.fromEntries(pairs) }),
    };
  };
}

function inputs(type: object): readonly InputFieldDefinition[] {
  return [...(type as InputType).fields().values()];
}

function writeOf(
  path: readonly string[],
  type: string,
  fields: readonly InputFieldDefinition[],
  isRequired: (column: Column) => boolean,
): ApiWrite {
  const columns = fields.flatMap(({ name, type: own, meaning }): ApiInput[] => {
    if (meaning.kind !== 'column') return [];
    const named = namedType(own);
    return [
      {
        field: name,
        type: printType(own),
        isRequired: isRequired(meaning.column.column),
        ...(named.kind === 'enum' && { values: [...named.values.keys()] }),
      },
    ];
  });
  return { path, type, columns };
}

/** The operators of every condition that the columns have. Operators that take an input object are for the text. */
function operatorsOf(
  columns: readonly ApiColumn[],
  conditions: ReadonlyMap<string, InputFieldDefinition>,
): TableApi['operators'] {
  return Object.fromEntries(
    columns.flatMap(({ field, condition }) => {
      if (condition === undefined) return [];
      const operators = inputs(namedType(conditions.get(field)!.type)).filter(
        ({ type }) => namedType(type).kind !== 'input',
      );
      return [[condition, operators.map(({ name, type }) => ({ name, type: printType(type) }))]];
    }),
  );
}
