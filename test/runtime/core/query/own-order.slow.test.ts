/**
 * The order in which a function or a view gives its rows is kept where a request gives none, however PostgreSQL joins them with
 * what else is asked: each request is answered under plans of every kind.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InProcess, serveInProcess } from '../../../harness/in-process.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { createTestDatabase } from '../../../harness/postgres.ts';

/** Rows without an index, in an order that neither their places nor their keys have. */
const SCHEMA = `
  create table grp (id int primary key, name text, owner int);
  create table tag (id int primary key, item_id int, word text);
  create table item (id int primary key, grp_id int references grp, score int, "engine order" int, "engine position" int);
  create table shelf (id int primary key, label text);
  insert into shelf values (1, 'a'), (2, 'b');
  insert into grp select n, 'g' || n, n % 3 from generate_series(1, 40) n;
  insert into item select n, n * 7 % 40 + 1, n * 37 % 301, 0, 0 from generate_series(1, 300) n;
  insert into tag select n, n * 11 % 300 + 1, 'w' || n % 5 from generate_series(1, 400) n;
  analyze;
  create function by_sql(low int) returns setof item language sql stable as
    'select * from item where score >= low order by score desc';
  create function by_plpgsql(low int) returns setof item language plpgsql stable as
    'begin return query select * from item where score >= low order by score desc; end';
  create function by_write(low int) returns setof item language sql volatile as
    'select * from item where score >= low order by score desc';
  create function of_shelf(shelf) returns setof item language sql stable as
    'select * from item where grp_id % 2 = $1.id % 2 order by score desc';
  create function item_label(item) returns text language sql stable as $$select 'label ' || $1.id$$;
  create view ranked as select * from item order by score desc;
  create view ranked_again as select id, grp_id, score from ranked where id > 0;
  create view ranked_below as select * from (select * from item order by score desc) as sorted;
  create view ranked_with as with sorted as (select * from item order by score desc) select * from sorted;
  create view ranked_function as select * from by_plpgsql(0);
  create view unranked as select * from item;
`;

const VIEWS = ['ranked', 'ranked_again', 'ranked_below', 'ranked_with', 'ranked_function'];
const FUNCTIONS = ['by_sql', 'by_plpgsql'];
const ROLES = ['user', 'keeper', 'both'];

interface Item {
  readonly id: number;
  readonly grp_id: number;
  readonly score: number;
}

const ITEMS: readonly Item[] = Array.from({ length: 300 }, (_, index) => {
  const id = index + 1;
  return { id, grp_id: ((id * 7) % 40) + 1, score: (id * 37) % 301 };
}).sort((one, other) => other.score - one.score);
const isOwned = ({ grp_id }: Item) => grp_id % 3 === 1;
const hasTag = ({ id }: Item) =>
  Array.from({ length: 400 }, (_, index) => index + 1).some(
    (tag) => ((tag * 11) % 300) + 1 === id && tag % 5 === 2,
  );

const manual = (table: string, column_mapping: object) => ({
  using: { manual_configuration: { remote_table: table, column_mapping } },
});
const toGroup = { name: 'grp', ...manual('grp', { grp_id: 'id' }) };
const toTags = { name: 'tags', ...manual('tag', { id: 'item_id' }) };

/** `user` sees rows of a group of its own, `keeper` rows with a tag; `both` is made of them. */
const permissions = [
  { role: 'user', permission: rule({ grp: { owner: { _eq: 'X-Engine-Owner' } } }) },
  {
    role: 'keeper',
    permission: { ...rule({ tags: { word: { _eq: 'w2' } } }), columns: ['id', 'grp_id'] },
  },
  { role: 'plain', permission: rule({}) },
];
function rule(filter: object) {
  return { columns: '*', filter, allow_aggregations: true };
}
const everyone = ['user', 'keeper', 'plain'].map((role) => ({ role, permission: rule({}) }));

/** Columns that are called like those that hold places. */
const renamed = { 'engine order': { custom_name: 'first' }, 'engine position': { custom_name: 'second' } };

function project() {
  const readable = (table: string) => ({
    table,
    ...(table !== 'ranked_again' && { configuration: { column_config: renamed } }),
    object_relationships: [toGroup],
    array_relationships: [toTags],
    select_permissions: permissions,
  });
  return {
    version: 3,
    sources: [
      defaultSource({
        tables: [
          {
            ...readable('item'),
            computed_fields: [{ name: 'label', definition: { function: 'item_label' } }],
            select_permissions: permissions.map(({ role, permission }) => ({
              role,
              permission: { ...permission, computed_fields: ['label'] },
            })),
          },
          ...[...VIEWS, 'unranked'].map(readable),
          {
            table: 'grp',
            array_relationships: VIEWS.map((name) => ({ name, ...manual(name, { id: 'grp_id' }) })),
            select_permissions: everyone,
          },
          { table: 'tag', select_permissions: everyone },
          {
            table: 'shelf',
            computed_fields: [{ name: 'items', definition: { function: 'of_shelf' } }],
            select_permissions: everyone,
          },
        ],
        functions: [
          ...FUNCTIONS.map((name) => ({ function: name })),
          { function: 'by_write', configuration: { exposed_as: 'mutation' } },
        ],
      }),
    ],
    inherited_roles: [{ role_name: 'both', role_set: ['user', 'keeper'] }],
  };
}

/** Settings that leave PostgreSQL one way to join. */
const PLANS: Readonly<Record<string, string>> = {
  'as it likes': '',
  'hash joins': '-c enable_mergejoin=off -c enable_nestloop=off',
  'merge joins': '-c enable_hashjoin=off -c enable_nestloop=off',
  'nested loops': '-c enable_hashjoin=off -c enable_mergejoin=off',
};

describe.each(Object.entries(PLANS))('with %s', (_, settings) => {
  let served: InProcess;
  beforeAll(async () => {
    const database = await createTestDatabase(SCHEMA);
    const url = new URL(database.url);
    if (settings) url.search = `options=${encodeURIComponent(settings)}`;
    served = await serveInProcess(url.href, project() as never);
  });
  afterAll(() => served?.end());

  const ask = async (query: string, role: string): Promise<Record<string, unknown>> => {
    const session = { 'x-engine-owner': '1' };
    return JSON.parse(await served.answer({ query }, role, session)).data;
  };
  const sees: Readonly<Record<string, (item: Item) => boolean>> = {
    admin: () => true,
    plain: () => true,
    user: isOwned,
    keeper: hasTag,
    both: (item) => isOwned(item) || hasTag(item),
  };
  const idsOf = (items: readonly Item[]) => items.map(({ id }) => ({ id }));
  const stripped = (rows: unknown) => (rows as readonly Item[]).map(({ id }) => ({ id }));

  const SOURCES = [...VIEWS, ...FUNCTIONS];
  describe.each(SOURCES)('%s', (name) => {
    const args = (more = '') => {
      const all = [...(FUNCTIONS.includes(name) ? ['args: {low: 0}'] : []), ...(more ? [more] : [])];
      return all.length > 0 ? `(${all.join(', ')})` : '';
    };

    test.each(['admin', 'plain', ...ROLES])('%s gets rows in its order', async (role) => {
      const expected = ITEMS.filter(sees[role]!);
      const FORMS: readonly [query: string, items: readonly Item[]][] = [
        [`rows: ${name}${args()} { id }`, expected],
        [`rows: ${name}${args()} { id grp { name } }`, expected],
        [`rows: ${name}${args()} { id grp { name } tags { word } }`, expected],
        [`rows: ${name}${args('limit: 9, offset: 4')} { id grp { name } }`, expected.slice(4, 13)],
        [`rows: ${name}${args('limit: 9, offset: 4')} { id tags { word } }`, expected.slice(4, 13)],
        [
          `rows: ${name}${args('where: {grp: {owner: {_eq: 1}}}, limit: 9')} { id grp { name } }`,
          expected.filter(isOwned).slice(0, 9),
        ],
        [
          `rows: ${name}${args('where: {tags: {word: {_eq: "w2"}}}')} { id grp { name } tags { word } }`,
          expected.filter(hasTag),
        ],
        [
          `rows: ${name}${args('where: {_or: [{id: {_gt: 150}}, {tags: {word: {_eq: "w2"}}}]}')} { id }`,
          expected.filter((item) => item.id > 150 || hasTag(item)),
        ],
        [
          `rows: ${name}${args('distinct_on: grp_id, offset: 2, limit: 20')} { id grp { name } }`,
          expected
            .filter((item) => expected.find(({ grp_id }) => grp_id === item.grp_id) === item)
            .slice(2, 22),
        ],
      ];
      for (const [query, items] of FORMS) {
        const { rows } = await ask(`{ ${query} }`, role);
        expect([query, stripped(rows)]).toEqual([query, idsOf(items)]);
        const live = JSON.parse(
          await served.live({ query: `subscription { ${query} }` }, role, { 'x-engine-owner': '1' }),
        );
        expect([query, stripped(live.data.rows)]).toEqual([query, idsOf(items)]);
      }
    });

    test.each(['admin', ...ROLES])('%s gets nodes of aggregates in its order', async (role) => {
      const expected = ITEMS.filter(sees[role]!);
      const count = 'aggregate { count some: count(columns: grp_id, distinct: true) }';
      for (const [more, items] of [
        ['', expected],
        ['limit: 7, offset: 3', expected.slice(3, 10)],
        ['where: {grp: {owner: {_eq: 1}}}', expected.filter(isOwned)],
      ] as const)
        for (const part of ['', count]) {
          const query = `{ all: ${name}_aggregate${args(more)} { ${part} nodes { id grp { name } } } }`;
          const { all } = await ask(query, role);
          expect([query, stripped((all as { nodes: Item[] }).nodes)]).toEqual([query, idsOf(items)]);
        }
    });
  });

  test.each([...VIEWS])('rows of %s nested in those of a table', async (name) => {
    for (const role of ['admin', ...ROLES]) {
      const query = `{ grp(order_by: {id: asc}) { id ${name}(limit: 5) { id grp { name } tags { word } } } }`;
      const { grp } = await ask(query, role);
      for (const each of grp as { id: number }[]) {
        const items = ITEMS.filter((item) => item.grp_id === each.id && sees[role]!(item)).slice(0, 5);
        expect(stripped((each as never)[name])).toEqual(idsOf(items));
      }
    }
  });

  test('rows of a computed field', async () => {
    for (const role of ['admin', ...ROLES]) {
      const query = `{ shelf(order_by: {id: asc}) { id
        items(where: {grp: {name: {_neq: "g3"}}}) { id label grp { name } tags { word } }
        few: items(limit: 6) { id grp { name } } } }`;
      const { shelf } = await ask(query, role);
      for (const each of shelf as { id: number; items: Item[]; few: Item[] }[]) {
        const all = ITEMS.filter((item) => item.grp_id % 2 === each.id % 2 && sees[role]!(item));
        expect(stripped(each.items)).toEqual(idsOf(all.filter(({ grp_id }) => grp_id !== 3)));
        expect(stripped(each.few)).toEqual(idsOf(all.slice(0, 6)));
      }
    }
  });

  test('rows of a function with computed fields, and of one that is a mutation', async () => {
    for (const role of ['admin', ...ROLES]) {
      const expected = ITEMS.filter(sees[role]!);
      const where = 'where: {label: {_like: "label 1%"}, grp: {owner: {_eq: 1}}}';
      const query = `{ rows: by_sql(args: {low: 0}, ${where}) { id label grp { name } } }`;
      const { rows } = await ask(query, role);
      const labelled = expected.filter((item) => isOwned(item) && String(item.id).startsWith('1'));
      expect(stripped(rows)).toEqual(idsOf(labelled));
      if (role !== 'admin') continue;
      const write = `mutation { rows: by_write(args: {low: 0}, where: {grp: {owner: {_eq: 1}}}) { id grp { name } } }`;
      expect(stripped((await ask(write, role)).rows)).toEqual(idsOf(expected.filter(isOwned)));
    }
  });

  test('a table or a view without an order has no numbering', () => {
    for (const name of ['item', 'unranked', 'grp']) {
      const query = `{ ${name}(limit: 3) { id } ${name}_aggregate { nodes { id } } }`;
      expect(served.sql({ query }, 'admin')).not.toContain('row_number');
    }
  });
});
