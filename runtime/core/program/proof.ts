/**
 * The SQL of a program as statements that Postgres can prepare: every row rule, preset, join of a relationship, call of a
 * function and saved statement, each where the server would use it. What Postgres accepts here it accepts there: preparing
 * types a statement whole, and runs nothing.
 */
import { readRule } from '../condition/rule.ts';
import { type AnyRule, OPERATIONS, type TableOperation, textPartsOf } from '../contract/aspects.ts';
import type {
  DeclaredFunction,
  FunctionArgumentShape,
  FunctionShape,
  NativeShape,
  RuleText,
  SourceShape,
  TableAccess,
  TableShape,
} from '../contract/shapes.ts';
import { DECLARED_SCHEMA, keyOf, objectKey, type QualifiedName } from '../names.ts';
import { savedStatement } from '../saved/saved-sql.ts';
import { bindRow, identifier, join, parameter, raw, type Sql, sql } from '../sql/fragment.ts';
import {
  correlatedRowsOf,
  givenValues,
  NATIVE_WRITTEN,
  nativeRowsOf,
  nativeWrite,
  nestedRowsOf,
} from '../sql/native.ts';
import { equality } from '../sql/operand.ts';
import { print } from '../sql/print.ts';
import { type ColumnType, columnType } from '../types.ts';
import { linkProgram } from './program.ts';
import type { GeneratedProgram } from './resolvers.ts';

/** The subject of a proof. Tables and functions by key. */
export type ProofSubject =
  | {
      readonly kind: 'rule';
      readonly table: string;
      readonly operation: TableOperation;
      readonly role: string;
      readonly part: 'where' | 'check';
    }
  | {
      readonly kind: 'preset' | 'cell';
      readonly table: string;
      readonly operation: TableOperation;
      readonly role: string;
      /** Or the computed field. */
      readonly column: string;
    }
  | { readonly kind: 'columns'; readonly table: string }
  | { readonly kind: 'relationship' | 'computed field'; readonly table: string; readonly name: string }
  | { readonly kind: 'function'; readonly name: string }
  | {
      readonly kind: 'saved operation';
      readonly collection: string;
      readonly name: string;
      readonly roles: readonly string[];
    };

/** A statement to prepare, and the subjects that depend on it. */
export interface Proof {
  readonly source: string;
  readonly text: string;
  readonly subjects: readonly ProofSubject[];
}

/** Alias of the row. Rules have no alias of this form. */
export const PROVED_ROW = 'row';
const OTHER_ROW = 'other';

/** The statements of a program. Texts that roles share are one statement. */
export function proofsOf(program: GeneratedProgram): Proof[] {
  const proofs = new Map<string, { source: string; text: string; subjects: ProofSubject[] }>();
  const add = (source: string, statement: Sql | string, subject: ProofSubject) => {
    const text = typeof statement === 'string' ? statement : print(statement).text;
    const key = JSON.stringify([source, text]);
    const known = proofs.get(key);
    if (known) known.subjects.push(subject);
    else proofs.set(key, { source, text, subjects: [subject] });
  };
  const shapes = new Map(
    program.tables.map(({ table }) => [JSON.stringify([table.source.name, keyOf(table)]), table]),
  );
  const from = rowsIn(program);
  for (const access of program.tables) {
    const { table } = access;
    const source = table.source.name;
    for (const [statement, subject] of accessProofs(access, from(table))) add(source, statement, subject);
    for (const [name, { kind, target, columns, nested, query, given = {} }] of Object.entries(
      table.relationships ?? {},
    )) {
      const other = shapes.get(JSON.stringify([source, target]));
      if (!other) continue;
      const pairs = Object.entries(columns).map(([own, theirs]) =>
        equality(
          sql`${alias(OTHER_ROW)}.${identifier(theirs)}`,
          columnType(other.source, other.columns[theirs]!.type),
          sql`${alias(PROVED_ROW)}.${identifier(own)}`,
          columnType(table.source, table.columns[own]!.type),
        ),
      );
      const on = pairs.length > 0 ? join(pairs, ' and ') : raw('true');
      const theirs = query
        ? sql`lateral ${nativeTarget(table.source, query, given)}`
        : nested === undefined
          ? from(other)
          : sql`lateral ${nestedRowsOf(fieldsOf(other), sql`${alias(PROVED_ROW)}.${identifier(nested)}`, kind)}`;
      add(source, sql`select from ${rows(from(table))} join ${theirs} as ${alias(OTHER_ROW)} on ${on}`, {
        kind: 'relationship',
        table: keyOf(table),
        name,
      });
    }
    for (const [name, field] of Object.entries(table.computedFields ?? {})) {
      const given = new Map([[field.tableArgument, alias(PROVED_ROW)]]);
      add(
        source,
        sql`select ${call(table.source, field.function, field.arguments, given)} from ${rows(from(table))}`,
        { kind: 'computed field', table: keyOf(table), name },
      );
    }
  }
  for (const shape of program.functions) {
    const { source, schema, name, arguments: list } = shape;
    const called = shape.sql === undefined ? call(source, { schema, name }, list, new Map()) : queried(shape);
    const proof = isNativeMutation(shape)
      ? nativeWrite(shape, parameterOf(shape), sql`select from ${NATIVE_WRITTEN}`)
      : sql`select from ${called} as ${alias(PROVED_ROW)}`;
    add(source.name, proof, {
      kind: 'function',
      name: objectKey(schema, name),
    });
  }
  const operations = program.saved?.operations ?? [];
  if (operations.length > 0) {
    const linked = linkProgram(program, { inferFunctionPermissions: true });
    for (const { collection, name, plans = [], values: shared } of operations)
      for (const { roles, steps, values } of plans)
        for (const role of roles)
          for (const step of steps)
            for (const { sql: text } of 'sql' in step ? [step] : step.statements) {
              const saved = { sql: text, values: { ...shared, ...values } };
              const statement = savedStatement(saved, step.source, role, linked).text;
              add(step.source, statement, { kind: 'saved operation', collection, name, roles: [role] });
            }
  }
  return [...proofs.values()];
}

function tableName(table: TableShape): Sql {
  return identifier(table.schema, table.name);
}

function alias(name: string): Sql {
  return identifier(name);
}

/**
 * What rows of a table are read from: of a logical model, a query that returns them, or a row of nulls where it is only inside of
 * others.
 */
function rowsIn({ functions }: GeneratedProgram): (table: TableShape) => Sql {
  return (table) => {
    if (table.schema !== DECLARED_SCHEMA) return tableName(table);
    const query = functions.find(
      (each) =>
        each.source === table.source &&
        each.sql !== undefined &&
        !isNativeMutation(each) &&
        each.returns.table === keyOf(table),
    );
    if (query) return queried(query);
    const columns = Object.entries(table.columns).map(
      ([name, { type }]) => sql`null::${raw(columnType(table.source, type).sql)} as ${identifier(name)}`,
    );
    return sql`(select ${join(columns, ', ')})`;
  };
}

function fieldsOf({ source, columns }: TableShape): { readonly name: string; readonly type: ColumnType }[] {
  return Object.entries(columns).map(([name, { type }]) => ({ name, type: columnType(source, type) }));
}

/** The rows of a native query, with a parameter for each argument. */
function queried(shape: FunctionShape): Sql {
  return nativeRowsOf(shape, parameterOf(shape));
}

/** The rows that a relationship to a native query leads to. */
function nativeTarget(source: SourceShape, query: NativeShape, given: Readonly<Record<string, string>>): Sql {
  const asked = parameterOf({ source, arguments: query.arguments });
  return Object.keys(given).length === 0
    ? nativeRowsOf(query, asked)
    : correlatedRowsOf(query, givenValues(source, query, given, alias(PROVED_ROW)), asked);
}

function parameterOf({
  arguments: list,
  source,
}: Pick<FunctionShape, 'arguments' | 'source'>): (name: string) => Sql {
  return (name) => {
    const { type } = list.find((argument) => argument.name === name)!;
    return parameter({ from: 'variable', name, path: '' }, columnType(source, type).sql);
  };
}

/** Its SQL may write, so that it cannot be an item of FROM. */
function isNativeMutation({ sql: code, fields }: DeclaredFunction): boolean {
  return code !== undefined && fields.mutation !== undefined;
}

function rows(from: Sql): Sql {
  return sql`${from} as ${alias(PROVED_ROW)}`;
}

function* accessProofs({ table, ...rules }: TableAccess, from: Sql): Generator<[Sql, ProofSubject]> {
  const key = keyOf(table);
  const columns = Object.keys(table.columns).map((column) => identifier(column));
  yield [sql`select ${join(columns, ', ')} from ${rows(from)}`, { kind: 'columns', table: key }];
  const condition = (text: RuleText) => bindRow(readRule(text).sql, alias(PROVED_ROW));
  for (const operation of OPERATIONS)
    for (const [role, rule] of Object.entries<AnyRule>(rules[operation] ?? {}))
      for (const { text, ...subject } of textPartsOf(rule)) {
        const of = { table: key, operation, role };
        if (subject.part !== 'preset') {
          yield [
            sql`select from ${rows(from)} where (${condition(text)})`,
            subject.part === 'cell'
              ? { kind: 'cell', ...of, column: subject.column }
              : { kind: 'rule', ...of, part: subject.part },
          ];
          continue;
        }
        const { column } = subject;
        const value = readRule(text).sql;
        const statement =
          operation === 'insert'
            ? sql`insert into ${tableName(table)} (${identifier(column)}) values (${value})`
            : sql`update ${tableName(table)} set ${identifier(column)} = ${value}`;
        yield [statement, { kind: 'preset', ...of, column }];
      }
}

/** A call with every argument, as of a client that gives them all. */
function call(
  source: SourceShape,
  name: QualifiedName,
  list: readonly FunctionArgumentShape[],
  given: ReadonlyMap<number, Sql>,
): Sql {
  const values = list.map(
    ({ type }, position) =>
      given.get(position) ??
      parameter({ from: 'variable', name: String(position), path: '' }, columnType(source, type).sql),
  );
  return sql`${identifier(name.schema, name.name)}(${values.length > 0 ? join(values, ', ') : raw('')})`;
}
