/** What grows in metadata, and what compiling it, and changing one permission of it, costs. */
import { type CompileInput, compile } from '../../../compiler/index.ts';
import type { EmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import type { Metadata } from '../../../runtime/metadata/metadata.ts';
import type { GrowthCase } from './measure.ts';
import { type GrowingProject, inputOf, numbers, ring, table, tableEntry } from './projects.ts';

const FEW: GrowthCase['sizes'] = [10, 100, 1000];

interface Grown {
  readonly unit: string;
  readonly sizes?: GrowthCase['sizes'];
  readonly project: (size: number) => GrowingProject;
}

const GROWN: Readonly<Record<string, Grown>> = {
  tables: { unit: 'tables', sizes: [20, 200, 2000], project: (size) => ring(size, 2) },
  roles: { unit: 'roles of 5 tables', project: (size) => ring(5, size) },
  'inherited roles': {
    unit: 'roles that inherit 3 of 10',
    project: (size) => ({
      ...ring(5, 10),
      rest: {
        inherited_roles: numbers(size).map((index) => ({
          role_name: `all_${index}`,
          role_set: [0, 3, 7].map((part) => `role_${(index + part) % 10}`),
        })),
      },
    }),
  },
  columns: {
    unit: 'columns of one table',
    sizes: [15, 150, 1500],
    project: (size) => {
      const names = numbers(size).map((index) => `c_${index}`);
      const permission = { columns: names, filter: { c_0: { _eq: 'X-Engine-User-Id' } } };
      return {
        sql: `create table wide (id int primary key, ${names.map((name) => `${name} text`).join()})`,
        tables: [
          {
            table: table('wide'),
            select_permissions: ['a', 'b'].map((role) => ({
              role,
              permission: { ...permission, allow_aggregations: true },
            })),
            update_permissions: ['a', 'b'].map((role) => ({
              role,
              permission: { ...permission, check: {} },
            })),
          },
        ],
      };
    },
  },
  relationships: {
    unit: 'tables that refer to one',
    project: (size) => ({
      sql: `create table t_hub (id int primary key, owner_id int, parent_id int references t_hub, kind text, note text);
        ${numbers(size)
          .map((index) => `create table spoke_${index} (id int primary key, hub_id int references t_hub);`)
          .join('')}`,
      tables: [
        {
          ...tableEntry('t_hub', 't_hub', ['a', 'b']),
          array_relationships: numbers(size).map((index) => ({
            name: `spokes_${index}`,
            using: { foreign_key_constraint_on: { table: table(`spoke_${index}`), column: 'hub_id' } },
          })),
        },
        ...numbers(size).map((index) => ({
          table: table(`spoke_${index}`),
          object_relationships: [{ name: 'hub', using: { foreign_key_constraint_on: 'hub_id' } }],
          select_permissions: ['a', 'b'].map((role) => ({
            role,
            permission: { columns: ['id', 'hub_id'], filter: { hub: { kind: { _eq: 'a' } } } },
          })),
        })),
      ],
    }),
  },
  'parts of a rule': {
    unit: 'parts of a rule',
    project: (size) => {
      const parts = numbers(size).map((index) => ({
        _and: [{ owner_id: { _eq: index } }, { parent: { kind: { _neq: `k_${index}` } } }],
      }));
      const { sql, tables } = ring(2, 0);
      return {
        sql,
        tables: tables.map((entry) => ({
          ...entry,
          select_permissions: [{ role: 'a', permission: { columns: '*', filter: { _or: parts } } }],
          delete_permissions: [{ role: 'a', permission: { filter: { _and: parts } } }],
        })),
      };
    },
  },
  'values of a rule': {
    unit: 'values of _in',
    sizes: [100, 1000, 10_000],
    project: (size) => {
      const { sql, tables } = ring(2, 0);
      const filter = { owner_id: { _in: [...numbers(size)] } };
      return {
        sql,
        tables: tables.map((entry) => ({
          ...entry,
          select_permissions: [{ role: 'a', permission: { columns: '*', filter } }],
        })),
      };
    },
  },
  functions: {
    unit: 'functions',
    project: (size) => ({
      ...ring(2, 2),
      sql: `${ring(2, 0).sql}
        ${numbers(size)
          .map(
            (index) =>
              `create function f_${index}(kind text) returns setof t_0 language sql stable as $$ select * from t_0 where t_0.kind = $1 $$;`,
          )
          .join('\n')}`,
      functions: numbers(size).map((index) => ({
        function: table(`f_${index}`),
        permissions: [{ role: 'role_0' }],
      })),
    }),
  },
  'enum values': {
    unit: 'values of an enum table',
    project: (size) => ({
      sql: `create table kinds (value text primary key, comment text);
        insert into kinds select 'k_' || n, 'the kind ' || n from generate_series(1, ${size}) n;
        create table thing (id int primary key, kind text references kinds);`,
      tables: [
        { table: table('kinds'), is_enum: true },
        {
          table: table('thing'),
          select_permissions: [{ role: 'a', permission: { columns: '*', filter: { kind: { _eq: 'k_3' } } } }],
        },
      ],
    }),
  },
  actions: {
    unit: 'actions with types of their own',
    project: (size) => ({
      ...ring(2, 2),
      rest: {
        actions: numbers(size).map((index) => ({
          name: `act_${index}`,
          definition: {
            kind: 'synchronous',
            type: 'mutation',
            handler: 'http://127.0.0.1:1/x',
            arguments: [{ name: 'input', type: `In_${index}!` }],
            output_type: `Out_${index}`,
          },
          permissions: [{ role: 'role_0' }],
        })),
        custom_types: {
          input_objects: numbers(size).map((index) => ({
            name: `In_${index}`,
            fields: [{ name: 'a', type: 'Int!' }],
          })),
          objects: numbers(size).map((index) => ({
            name: `Out_${index}`,
            fields: [{ name: 'id', type: 'Int!' }],
            relationships: [
              { name: 'row', type: 'object', remote_table: table('t_0'), field_mapping: { id: 'id' } },
            ],
          })),
        },
      },
    }),
  },
  'saved operations': {
    unit: 'saved operations with REST endpoints',
    project: (size) => ({
      ...ring(3, 2),
      rest: {
        query_collections: [
          {
            name: 'all',
            definition: {
              queries: numbers(size).map((index) => ({
                name: `q_${index}`,
                query: `query q_${index}($id: Int!) { t_0_by_pk(id: $id) { id kind parent { id note } } }`,
              })),
            },
          },
        ],
        allowlist: [{ collection: 'all', scope: { global: true } }],
        rest_endpoints: numbers(size).map((index) => ({
          name: `r_${index}`,
          url: `r_${index}/:id`,
          methods: ['GET'],
          definition: { query: { collection_name: 'all', query_name: `q_${index}` } },
        })),
      },
    }),
  },
  'event triggers': {
    unit: 'event triggers',
    project: (size) => {
      const { sql, tables } = ring(2, 2);
      return {
        sql,
        tables: tables.map((entry, number) => ({
          ...entry,
          event_triggers: numbers(size / 2).map((index) => ({
            name: `e_${number}_${index}`,
            definition: { enable_manual: false, insert: { columns: '*' }, update: { columns: ['kind'] } },
            retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
            webhook: 'http://127.0.0.1:1/x',
          })),
        })),
        rest: {
          cron_triggers: numbers(size).map((index) => ({
            name: `c_${index}`,
            webhook: 'http://127.0.0.1:1/x',
            schedule: '0 * * * *',
            include_in_metadata: true,
          })),
        },
      };
    },
  },
  'inconsistent objects': {
    unit: 'tables that are not there',
    project: (size) => {
      const { sql, tables } = ring(Math.ceil(size / 10), 1);
      return {
        sql,
        tables: [
          ...tables,
          ...numbers(size).map((index) => ({
            table: table(`missing_${index}`),
            select_permissions: [{ role: 'role_0', permission: { columns: ['id'], filter: {} } }],
          })),
        ],
      };
    },
  },
  'unknown columns': {
    unit: 'columns of permissions that are not there',
    project: (size) => {
      const { sql, tables } = ring(2, 1);
      return {
        sql,
        tables: tables.map((entry) => ({
          ...entry,
          select_permissions: numbers(size).map((index) => ({
            role: `role_${index}`,
            permission: { columns: ['id', `wrong_${index}`], filter: { [`worse_${index}`]: { _eq: 1 } } },
          })),
        })),
      };
    },
  },
};

/** Whole compiles, and those of one changed permission after them. */
export function compileCases(postgres: EmbeddedPostgres): readonly GrowthCase[] {
  return Object.entries(GROWN).flatMap(([name, { unit, sizes = FEW, project }]): GrowthCase[] => {
    const inputs = new Map<number, Promise<CompileInput>>();
    const input = (size: number) => {
      const known = inputs.get(size) ?? inputOf(project(size), postgres);
      inputs.set(size, known);
      return known;
    };
    const whole: GrowthCase = {
      name: `compile: ${name}`,
      unit,
      sizes,
      prepare: async (size) => {
        const given = await input(size);
        return () => [...compile(given).files.values()].length;
      },
    };
    const change: GrowthCase = {
      name: `change: ${name}`,
      unit,
      sizes,
      prepare: async (size) => {
        const given = await input(size);
        let result = compile(given);
        let limit = 0;
        return () => {
          limit += 1;
          result = compile({ ...given, metadata: limited(given.metadata, limit) }, result);
          return [...result.programFiles.values()].length;
        };
      },
    };
    return [whole, change];
  });
}

/** With another limit on the first permission of the first table that has one. */
function limited(metadata: Metadata, limit: number): Metadata {
  const [source] = metadata.sources;
  const index = source!.tables.findIndex(({ select_permissions: all }) => all.length > 0);
  const entry = source!.tables[index]!;
  const [first, ...others] = entry.select_permissions;
  const permission = { ...first!.permission, limit };
  const tables = source!.tables.with(index, {
    ...entry,
    select_permissions: [{ ...first!, permission }, ...others],
  });
  return { ...metadata, sources: [{ ...source!, tables }] };
}
