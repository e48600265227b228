import type { z } from 'zod';
import type { Json, JsonObject, QualifiedName } from '../../../compiler/model/metadata.ts';
import {
  choose,
  jsonObject,
  nameSchema,
  object,
  oneOf,
  optional,
  requiredList,
} from '../../../compiler/phases/1-read/schemas/shared.ts';
import { EngineError } from '../../core/errors.ts';
import { quoteIdentifier, quoteLiteral } from '../../core/sql/fragment.ts';
import { databaseError } from '../../database/errors.ts';
import { tableArguments } from '../arguments.ts';
import { trackedTable } from '../edit.ts';
import { columnNames } from '../find-relationship.ts';
import { quoted } from '../names.ts';
import { operation } from '../operation.ts';

interface Conflict {
  readonly action: 'ignore' | 'update';
  readonly constraint?: string;
  readonly constraint_on?: readonly string[];
}

interface Arguments {
  readonly table: QualifiedName;
  readonly source: string;
  readonly objects: readonly JsonObject[];
  readonly on_conflict?: Conflict;
  readonly returning?: readonly string[];
}

const columnList: z.ZodType<readonly string[]> = choose((input) =>
  typeof input === 'string' ? nameSchema.transform((name) => [name]) : requiredList(nameSchema),
);

export default operation<Arguments>({
  name: 'insert',
  spelling: 'bare',
  endpoints: ['/v1/query', '/v2/query'],
  documentation: 'Inserts rows into a tracked table. Columns that an object leaves out get their defaults.',
  arguments: object<Arguments>({
    ...tableArguments,
    objects: requiredList(jsonObject),
    on_conflict: optional(
      object<Conflict>({
        action: oneOf('ignore', 'update'),
        constraint: optional(nameSchema),
        constraint_on: optional(columnList),
      }),
    ),
    returning: optional(columnList),
  }),
  changesMetadata: false,
  run: async (args, copy) => {
    const { source, table, objects, returning = [] } = args;
    if (trackedTable(copy.metadata, source, table) === undefined) {
      throw new EngineError('not-exists', `table ${quoted(table)} does not exist`, { path: '$.table' });
    }
    const known = columnNames(copy, source, table);
    const given = [...new Set(objects.flatMap((row) => Object.keys(row)))];
    const unknown = [...given, ...returning].find((column) => !known.has(column));
    if (unknown !== undefined) throw new EngineError('not-exists', `no such column exists: "${unknown}"`);
    if (objects.length === 0) return answer({ affected_rows: 0, returned: [] }, args);
    const text = insertStatement(args, given);
    const values = objects.map((row) => JSON.stringify(row));
    try {
      const { rows } = await copy.database(source).query(text, values);
      return answer(rows[0] as unknown as Answer, args);
    } catch (error) {
      throw databaseError(error, { text, values });
    }
  },
});

interface Answer {
  readonly affected_rows: number;
  readonly returned: Json;
}

function answer({ affected_rows, returned }: Answer, { returning }: Arguments): JsonObject {
  return { affected_rows, ...(returning !== undefined && { returning: returned }) };
}

/** Postgres makes the values of the JSON objects, which are the parameters, one a row. */
function insertStatement(
  { table, objects, on_conflict, returning = [] }: Arguments,
  columns: readonly string[],
): string {
  const relation = quoteIdentifier(table.schema, table.name);
  const rows = objects.map((row, index) => {
    const values = columns.map((column) =>
      Object.hasOwn(row, column)
        ? `(json_populate_record(null::${relation}, $${index + 1}::json)).${quoteIdentifier(column)}`
        : 'default',
    );
    return `(${values.join(', ')})`;
  });
  const fields = returning.map((column) => `${quoteLiteral(column)}, ${quoteIdentifier(column)}`);
  const target = columns.map((column) => quoteIdentifier(column)).join(', ');
  return [
    'with inserted as (',
    // An INSERT of no column takes one row only: DEFAULT VALUES.
    columns.length === 0
      ? `insert into ${relation} default values`
      : `insert into ${relation} (${target}) values ${rows.join(', ')}`,
    conflictClause(on_conflict, columns),
    'returning *)',
    `select count(*)::integer as affected_rows, coalesce(json_agg(json_build_object(${fields.join(', ')})), '[]') as returned`,
    'from inserted',
  ].join('\n');
}

function conflictClause(conflict: Conflict | undefined, columns: readonly string[]): string {
  if (conflict === undefined) return '';
  const { action, constraint, constraint_on } = conflict;
  const target =
    constraint === undefined
      ? constraint_on && `(${constraint_on.map((column) => quoteIdentifier(column)).join(', ')})`
      : `on constraint ${quoteIdentifier(constraint)}`;
  if (action === 'ignore') return `on conflict ${target ?? ''} do nothing`;
  if (target === undefined) {
    throw new EngineError(
      'unexpected-payload',
      'Expecting "constraint" or "constraint_on" when the "action" is "update"',
    );
  }
  const sets = columns.map((column) => `${quoteIdentifier(column)} = excluded.${quoteIdentifier(column)}`);
  return `on conflict ${target} do update set ${sets.join(', ')}`;
}
