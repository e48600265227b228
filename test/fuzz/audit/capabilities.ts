/**
 * What a role may do with the rows of a database, by the generated rules: each capability is the set of what it allows, as
 * PostgreSQL says. What another program allows beyond that is a leak, whatever the rules look like.
 */

import type pg from 'pg';
import { readRule } from '../../../runtime/core/condition/rule.ts';
import { EVERY_ROW, type InsertRule, type UpdateRule } from '../../../runtime/core/contract/shapes.ts';
import type { Program, Table } from '../../../runtime/core/program/program.ts';
import { bindParameters } from '../../../runtime/core/request/bind.ts';
import { boundRule } from '../../../runtime/core/schema/visible-table.ts';
import { NOBODY } from '../../../runtime/core/session.ts';
import { identifier, join, literal, type Sql, sql } from '../../../runtime/core/sql/fragment.ts';
import { print } from '../../../runtime/core/sql/print.ts';
import type { Operation, Row, TableName, Variables } from './world.ts';

/** What may be done, by name; for each the rows, cells or changes that it is allowed for. */
export type Capabilities = ReadonlyMap<string, Capability>;

export interface Capability {
  readonly role: string;
  readonly table: TableName;
  readonly operation: Operation;
  /** `rows`, `cell secret`, `trusted`, … */
  readonly what: string;
  /** Allowed as a whole. */
  readonly always?: true;
  /** Of each session. */
  readonly allowed: readonly ReadonlySet<string>[];
}

/** Rows that may be written, with the rows that they come from; `new` ones have none. */
export interface Candidates {
  readonly inserts: ReadonlyMap<TableName, readonly Row[]>;
  readonly updates: ReadonlyMap<TableName, readonly { readonly old: Row; readonly now: Row }[]>;
}

/** A question about the rows of a table: which of them fulfil something, for one session. */
interface Question {
  readonly role: string;
  readonly table: Table;
  readonly operation: Operation;
  readonly what: string;
  readonly always?: true;
  /** Gives the keys as texts; undefined: nothing. */
  readonly rows?: Sql;
}

export interface Asker {
  capabilities(program: Program, roles: readonly string[]): Promise<Capabilities>;
}

/**
 * A privilege that is gone, a value that its type no longer has, an operator that its collation does not offer or that is one
 * of several: anything that a change of the database makes of a rule, but not a rule that cannot be read (42601).
 */
const REFUSED = /^(?:42(?!601)|22|23|0A)/;

/** Rows that may be read at once without a limit: more than any limit. */
const MANY = 10;

/** Remembers answers by their SQL: most questions about a changed program were asked about the one before it. */
export function createAsker(
  client: pg.Client,
  candidates: Candidates,
  sessions: readonly Variables[],
): Asker {
  const known = new Map<string, readonly ReadonlySet<string>[]>();
  const ask = async (questions: readonly Sql[]): Promise<void> => {
    if (questions.length === 0) return;
    const statement = print(
      sql`select json_build_array(${join(
        questions.map(
          (rows) => sql`(select coalesce(json_agg(found.key), '[]') from (${rows}) as found(key))`,
        ),
        ', ',
      )})::text as answer`,
    );
    const answers: string[][][] = [];
    for (const variables of sessions) {
      const values = bindParameters(statement, {}, { ...NOBODY, variables });
      try {
        const { rows } = await client.query(statement.text, values as unknown[]);
        answers.push(JSON.parse(rows[0].answer));
      } catch (error) {
        if (!REFUSED.test((error as { code?: string }).code ?? '')) throw error;
        // One of them is refused, and so is what it stands for.
        if (questions.length === 1) answers.push([[]]);
        else {
          for (const question of questions) await ask([question]);
          return;
        }
      }
    }
    for (const [index, question] of questions.entries())
      known.set(
        print(question).text,
        answers.map((each) => new Set(each[index]!)),
      );
  };
  return {
    capabilities: async (program, roles) => {
      const questions = program.tables.flatMap((table) => questionsAbout(program, table, roles, candidates));
      const texts = questions.map(({ rows }) => (rows ? print(rows).text : ''));
      const fresh = new Map<string, Sql>();
      for (const [index, text] of texts.entries())
        if (text !== '' && !known.has(text)) fresh.set(text, questions[index]!.rows!);
      await ask([...fresh.values()]);
      return new Map(
        questions.map(({ role, table, operation, what, always }, index): [string, Capability] => [
          `${role} ${operation} ${table.key} ${what}`,
          {
            role,
            table: table.shape.name as TableName,
            operation,
            what,
            ...(always && { always }),
            allowed: texts[index] === '' ? [] : known.get(texts[index]!)!,
          },
        ]),
      );
    },
  };
}

function questionsAbout(
  program: Program,
  table: Table,
  roles: readonly string[],
  candidates: Candidates,
): Question[] {
  const access = program.access(table);
  const name = table.shape.name as TableName;
  return roles.flatMap((role): Question[] => {
    const found: Question[] = [];
    const add = (operation: Operation, what: string, rows?: Sql) =>
      found.push({ role, table, operation, what, ...(rows ? { rows } : { always: true }) });
    const select = access.select?.[role];
    if (select) {
      const stored = (condition: string, columns: readonly string[]) =>
        storedRows(table, [select.where, condition], columns);
      add('select', 'rows', stored(EVERY_ROW, []));
      for (const column of select.columns)
        add('select', `cell ${column}`, stored(select.cells?.[column] ?? EVERY_ROW, [column]));
      for (const field of select.computedFields ?? [])
        add('select', `cell ${field}`, stored(select.cells?.[field] ?? EVERY_ROW, []));
      if (select.aggregations) add('select', 'aggregates');
      const most = literal(`${select.limit ?? MANY}`);
      add('select', 'numbers of rows', sql`select n::text from generate_series(1, ${most}::int) as n`);
    }
    const callers = ({ backendOnly }: { readonly backendOnly?: true }) =>
      backendOnly ? ['trusted'] : ['trusted', 'every caller'];
    const insert = access.insert?.[role];
    if (insert)
      for (const caller of callers(insert))
        add('insert', caller, insertable(table, insert, candidates.inserts.get(name) ?? []));
    const update = access.update?.[role];
    if (update)
      for (const caller of callers(update))
        add('update', caller, updatable(table, update, candidates.updates.get(name) ?? []));
    const remove = access.delete?.[role];
    if (remove)
      for (const caller of callers(remove)) add('delete', caller, storedRows(table, [remove.where]));
    return found;
  });
}

const RULE = { rule: 'rule' };
const condition = (text: string, alias: Sql): Sql => boundRule(readRule(text), RULE)(alias);

function rowType({ shape }: Table): Sql {
  return identifier(shape.schema, shape.name);
}

/** Keys of the stored rows that fulfil all conditions, with the values of these columns. */
function storedRows(table: Table, conditions: readonly string[], columns: readonly string[] = []): Sql {
  const t = identifier('t');
  const where = conditions.map((each) => condition(each, t));
  const shown = [...(table.shape.name === 'label' ? ['item_id', 'name'] : ['id']), ...columns];
  const row = join(
    shown.map((name) => sql`${t}.${identifier(name)}`),
    ', ',
  );
  return sql`select row(${row})::text from ${rowType(table)} as ${t} where ${join(where, ' and ')}`;
}

/** Numbers of the rows that may be inserted: what the client cannot give is the preset or null. */
function insertable(table: Table, { columns, presets = {}, check }: InsertRule, rows: readonly Row[]): Sql {
  const t = identifier('t');
  const fixed = Object.keys(table.shape.columns).flatMap((name) =>
    columns.includes(name) ? [] : [isSet(t, name, presets[name])],
  );
  return sql`select c.n::text from ${candidateRows(rows.map((now) => ({ now })))} cross join lateral jsonb_populate_record(null::${rowType(table)}, c.now) as ${t} where ${join([condition(check, t), ...fixed], ' and ')}`;
}

/** Numbers of the changes that may be made: of a row that may be changed, to one that passes the check. */
function updatable(
  table: Table,
  { columns, presets = {}, where, check = EVERY_ROW }: UpdateRule,
  changes: Candidates['updates'] extends ReadonlyMap<TableName, infer Changes> ? Changes : never,
): Sql {
  const [o, t] = [identifier('o'), identifier('t')];
  const fixed = Object.keys(table.shape.columns).flatMap((name) => {
    if (columns.includes(name)) return [];
    return [
      Object.hasOwn(presets, name)
        ? isSet(t, name, presets[name])
        : sql`to_jsonb(${t}.${identifier(name)}) is not distinct from to_jsonb(${o}.${identifier(name)})`,
    ];
  });
  // Without columns there is no field to update with.
  const some = columns.length > 0 ? [] : [sql`false`];
  const old = sql`jsonb_populate_record(null::${rowType(table)}, c.old)`;
  return sql`select c.n::text from ${candidateRows(changes)} join ${rowType(table)} as ${o} on to_jsonb(${o}) = to_jsonb(${old}) cross join lateral jsonb_populate_record(null::${rowType(table)}, c.now) as ${t} where ${join([condition(where, o), condition(check, t), ...fixed, ...some], ' and ')}`;
}

function candidateRows(rows: readonly { readonly old?: Row; readonly now: Row }[]): Sql {
  const numbered = rows.map((row, n) => ({ n, ...row }));
  return sql`jsonb_to_recordset(${literal(JSON.stringify(numbered))}::jsonb) as c(n int, old jsonb, now jsonb)`;
}

function isSet(t: Sql, column: string, preset: string | undefined): Sql {
  const own = sql`${t}.${identifier(column)}`;
  if (preset === undefined) return sql`${own} is null`;
  // A null literal has no type of its own.
  return sql`${own} is not distinct from (${readRule(preset).sql})`;
}

/** Those that allow more than before. */
export function won(before: Capabilities, after: Capabilities): Capability[] {
  return [...after].flatMap(([name, capability]) => {
    const old = before.get(name);
    const more = capability.always
      ? !old
      : capability.allowed.some((rows, session) => [...rows].some((row) => !old?.allowed[session]?.has(row)));
    return more ? [capability] : [];
  });
}
