/** Random schemas in which every value of a text names the column that it was written to, and random permissions on them. */
import type { JsonObject } from '../../../runtime/metadata/metadata.ts';
import { defaultSource } from '../../harness/metadata.ts';
import type { Random } from '../random.ts';

export const ROLES = ['one', 'two', 'three'] as const;

/** What may be tracked: its columns that may be granted. */
interface Relation {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isTable: boolean;
  /** Columns that values are written to. */
  readonly stored: readonly string[];
}

export interface CanarySchema {
  readonly sql: string;
  readonly metadata: JsonObject;
}

/** The value that a stored column has in a row: in lower case, of letters, digits and `_` only. */
function canaryOf(table: string, column: string): string {
  return `canary_${table}_${column}_end`;
}

/** `table column` of each value in a text, changed or not in ways that keep its letters. */
export function canariesIn(text: string): string[] {
  const found = text.toLowerCase().matchAll(/canary_(t\d+)_([a-z]\d?)_end/g);
  return [...new Set([...found].map(([, table, column]) => `${table} ${column}`))];
}

export function randomSchema(random: Random): CanarySchema {
  const statements: string[] = [];
  const relations: Relation[] = [];
  const functions: { readonly name: string; readonly returns: string }[] = [];
  const fields: { readonly table: string; readonly name: string; readonly fn: string }[] = [];
  const pickColumn = (relation: Relation) => random.pick(relation.columns.filter((name) => name !== 'id'));

  const addTable = (index: number): void => {
    const name = `t${index}`;
    const above = relations.filter(({ isTable }) => isTable);
    const kind = above.length > 0 ? random.below(5) : 9;
    const stored = ['a', 'b', 'c'];
    const values = (columns: readonly string[]) =>
      columns.map((column) => `'${canaryOf(name, column)}'`).join(', ');
    if (kind === 0) {
      // A child: rows of its own, which its parent shows as well.
      const parent = random.pick(above);
      statements.push(
        `create table ${name} (x text, primary key (id)) inherits (${parent.name})`,
        `insert into ${name} (id, ${parent.stored.join(', ')}, x) values (${100 + index}, ${parent.stored.map((column) => `'${canaryOf(name, column)}'`).join(', ')}, '${canaryOf(name, 'x')}')`,
      );
      relations.push({
        name,
        isTable: true,
        stored: [...parent.stored, 'x'],
        columns: [...parent.columns, 'x'],
      });
      return;
    }
    if (kind === 1) {
      statements.push(
        `create table ${name} (id int, a text, b text, c text, primary key (id)) partition by range (id)`,
        `create table ${name}_part partition of ${name} for values from (0) to (50)`,
        `create table ${name}_rest partition of ${name} default`,
        `insert into ${name} values (1, ${values(stored)}), (77, ${values(stored)})`,
      );
      relations.push({ name, isTable: true, stored, columns: ['id', ...stored] });
      for (const part of [`${name}_part`, `${name}_rest`])
        relations.push({ name: part, isTable: false, stored: [], columns: ['id', ...stored] });
      return;
    }
    const parts = ['id int primary key', 'a text unique', 'b text', 'c text'];
    const columns = ['id', ...stored];
    if (random.chance(0.5)) {
      parts.push(`g text generated always as (upper(${random.pick(stored)})) stored`);
      columns.push('g');
    }
    if (random.chance(0.3)) {
      parts.push(`h text generated always as (${random.pick(stored)} || '-' || coalesce(b, '')) stored`);
      columns.push('h');
    }
    if (functions.length > 0 && random.chance(0.3)) {
      const { name: called, returns } = random.pick(functions);
      parts.push(`d text default (to_jsonb(${called}('x'))::text)`);
      if (returns) columns.push('d');
    }
    const referred = above.filter(({ name: other }) =>
      statements.some((text) => text.startsWith(`create table ${other} (id int primary key, a text unique`)),
    );
    if (referred.length > 0 && random.chance(0.4)) {
      const { name: other } = random.pick(referred);
      parts.push(`r text references ${other} (a)`);
      columns.push('r');
      statements.push(`create table ${name} (${parts.join(', ')})`);
      statements.push(
        `insert into ${name} (id, ${stored.join(', ')}, r) select 1, ${values(stored)}, a from only ${other} limit 1`,
      );
    } else {
      statements.push(`create table ${name} (${parts.join(', ')})`);
      statements.push(`insert into ${name} (id, ${stored.join(', ')}) values (1, ${values(stored)})`);
    }
    relations.push({ name, isTable: true, stored, columns });
  };

  const addView = (index: number): void => {
    const name = `v${index}`;
    const from = random.pick(relations);
    const other = random.pick(relations);
    const [one, two] = [pickColumn(from), pickColumn(other)];
    const isKept = random.chance(0.2);
    const queries: (readonly [string, readonly string[]])[] = [
      [`select id, ${one} as x from ${from.name}`, ['id', 'x']],
      [`select id, upper(${one}) as x from ${from.name}`, ['id', 'x']],
      [`select id, to_jsonb(s)::text as x from ${from.name} s`, ['id', 'x']],
      [`select 1 as id, json_agg(s)::text as x from ${from.name} s`, ['id', 'x']],
      [`select s.id, o.${two} as x from ${from.name} s left join ${other.name} o on true`, ['id', 'x']],
      [`select s.id, (select max(o.${two}) from ${other.name} o) as x from ${from.name} s`, ['id', 'x']],
      [
        `select id, ${one} as x from ${from.name} union all select id, ${two} from ${other.name}`,
        ['id', 'x'],
      ],
      [`with w as (select * from ${from.name}) select id, w::text as x from w`, ['id', 'x']],
      [
        `select j.id, to_jsonb(j)::text as x from (${from.name} natural join (select id as other from ${other.name}) o) as j`,
        ['id', 'x'],
      ],
      [`select 1 as id, string_agg(${one}, ',') filter (where id > 0) as x from ${from.name}`, ['id', 'x']],
      [`select id, row_number() over (order by ${one})::text as x from ${from.name}`, ['id', 'x']],
      ...functions.map(
        ({ name: called }) =>
          [`select 1 as id, to_jsonb(f)::text as x from ${called}('x') f`, ['id', 'x']] as const,
      ),
    ];
    const [query, columns] = random.pick(queries);
    statements.push(`create ${isKept ? 'materialized ' : ''}view ${name} as ${query}`);
    relations.push({ name, isTable: false, stored: [], columns });
  };

  const addFunction = (index: number): void => {
    const name = `f${index}`;
    const from = random.pick(relations);
    const target = random.pick(relations.filter(({ isTable }) => isTable));
    const [one, two] = [pickColumn(from), pickColumn(target)];
    const rows = target.columns.join(', ') === 'id, a, b, c';
    const bodies: (readonly [string, string])[] = [
      [`setof ${target.name}`, `select * from ${target.name}`],
      [
        `setof ${target.name}`,
        `select s.* from ${target.name} s join ${from.name} o on true where o.${one} is not null`,
      ],
      ['text', `select max(${one}) from ${from.name}`],
      ['text', `select string_agg(s::text, ',') from ${from.name} s`],
      ['text', `select to_jsonb(j)::text from (select * from ${from.name}) j limit 1`],
      [
        'text',
        `select string_agg(y, ',') from ${from.name} as s (${from.columns.map((_, at) => (at === 1 ? 'y' : `y${at}`)).join(', ')})`,
      ],
      ...(rows
        ? ([
            [`setof ${target.name}`, `select id, ${two}, ${two}, ${two} from ${target.name}`],
            [`setof ${target.name}`, `select o.id, o.${one}, null, null from ${from.name} o`],
          ] as const)
        : []),
      ...functions
        .filter(({ returns }) => returns === 'text')
        .map(({ name: called }) => ['text', `select 'by ' || ${called}('y')`] as const),
    ];
    const [returns, body] = random.pick(bodies);
    const language = random.pick(['text', 'text', 'atomic', 'plpgsql']);
    const head = `create function ${name}(unused text) returns ${returns}`;
    if (language === 'atomic') statements.push(`${head} language sql stable begin atomic ${body}; end`);
    else if (language === 'plpgsql')
      statements.push(
        `${head} language plpgsql stable as $$ begin return ${returns.startsWith('setof') ? 'query ' : '('}${body}${returns.startsWith('setof') ? '' : ')'}; end $$`,
      );
    else statements.push(`${head} language sql stable as $$ ${body} $$`);
    functions.push({ name, returns });
  };

  const addField = (index: number): void => {
    const table = random.pick(relations.filter(({ isTable }) => isTable));
    const from = random.pick(relations);
    const name = `c${index}`;
    const body = random.pick([
      `select $1.${pickColumn(table)}`,
      `select to_jsonb(s)::text`,
      `select (s).${pickColumn(table)}`,
      `select s.${pickColumn(table)} || 'x'`,
      `select max(${pickColumn(from)}) from ${from.name}`,
      ...functions
        .filter(({ returns }) => returns === 'text')
        .map(({ name: called }) => `select ${called}('z')`),
    ]);
    statements.push(
      `create function ${name}(s ${table.name}) returns text language sql stable as $$ ${body} $$`,
    );
    fields.push({ table: table.name, name: `field_${index}`, fn: name });
  };

  const tables = random.between(2, 4);
  for (let index = 0; index < tables; index += 1) addTable(index);
  for (let index = 0; index < 9; index += 1) {
    const kind = random.below(4);
    if (kind === 0) addFunction(index);
    else if (kind === 1) addField(index);
    else if (kind === 2 && index < 6) addTable(tables + index);
    else addView(index);
  }

  const tracked = relations.filter(({ isTable }) => isTable || random.chance(0.75));
  const metadata = {
    version: 3,
    sources: [
      defaultSource({
        tables: tracked.map(({ name, columns, isTable }) => {
          const others = tracked.filter((each) => each.name !== name && random.chance(0.3));
          const own = fields.filter(({ table }) => table === name);
          return {
            table: name,
            array_relationships: others.map((other) => ({
              name: `to_${other.name}`,
              using: { manual_configuration: { remote_table: other.name, column_mapping: { id: 'id' } } },
            })),
            computed_fields: own.map((field) => ({ name: field.name, definition: { function: field.fn } })),
            select_permissions: ROLES.filter(() => random.chance(0.6)).map((role) => ({
              role,
              permission: {
                columns: random.chance(0.2) ? '*' : random.some(columns, 0.4),
                computed_fields: random.some(
                  own.map((field) => field.name),
                  0.5,
                ),
                filter: {},
                ...(random.chance(0.4) && { allow_aggregations: true }),
              },
            })),
            update_permissions: isTable
              ? ROLES.filter(() => random.chance(0.2)).map((role) => ({
                  role,
                  permission: {
                    columns: random.some(
                      columns.filter((c) => 'abc'.includes(c)),
                      0.5,
                    ),
                    filter: {},
                    check: {},
                  },
                }))
              : [],
          };
        }),
        functions: functions
          .filter(({ returns }) => tracked.some(({ name }) => returns === `setof ${name}`))
          .map(({ name }) => ({ function: name })),
      }),
    ],
  } as unknown as JsonObject;
  return { sql: `${statements.join(';\n')};`, metadata };
}
