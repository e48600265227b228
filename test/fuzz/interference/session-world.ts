/**
 * A world whose requests meet other sessions: a second source that is joined, functions and computed fields that take the session, and
 * saved operations. What the role may not see differs between the two databases here, too.
 */
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import { defaultSource } from '../../harness/metadata.ts';
import type { Random } from '../random.ts';
import { randomRead, type SessionRead } from './session-request.ts';
import { randomWorld, type World } from './world.ts';

const SCHEMA = `
drop schema if exists far cascade; create schema far;
create table far.part (id int primary key, item_id int, owner int not null, open boolean not null, label text);
create function far.my_parts(lowest int, session json) returns setof far.part language sql stable as
  $$ select * from far.part where id >= lowest and owner::text = session ->> 'x-engine-user-id' $$;
create function my_items(lowest int, session json) returns setof item language sql stable as
  $$ select * from item where id >= lowest and owner::text = session ->> 'x-engine-user-id' $$;
create function item_seen(item, session json) returns text language sql immutable as
  $$ select $1.title || ' by ' || (session ->> 'x-engine-user-id') || ' ' || (session ->> 'x-engine-role') $$;
create function team_mine(team, session json) returns setof item language sql stable as
  $$ select * from item where team_id = $1.id and owner::text = session ->> 'x-engine-user-id' $$;
`;

const PARTS = 12;
const LABELS = ['bolt', 'nut', 'a\\b', ''];
const HIDDEN_LABELS = ['secret one', 'secret two', 'bolt', `${'ab'.repeat(200)}c`];
const FAR_RULES: readonly { readonly filter: JsonObject; readonly shows: (part: Part) => boolean }[] = [
  { filter: { owner: { _eq: 'X-Engine-User-Id' } }, shows: ({ owner }) => owner === 1 },
  {
    filter: { _or: [{ owner: { _eq: 'X-Engine-User-Id' } }, { open: { _eq: true } }] },
    shows: ({ owner, open }) => owner === 1 || open,
  },
];

interface Part {
  readonly id: number;
  readonly item: number;
  readonly owner: number;
  readonly open: boolean;
}

interface SavedRead extends SessionRead {
  /** Name in the collection, and last segment of the address of its REST endpoint. */
  readonly name: string;
}

export interface SessionWorld extends World {
  readonly saved: readonly SavedRead[];
}

/** Rules that fail belong to the requests of one session: here errors would hide what sessions do to each other. */
const KINDS = ['plain', 'plain', 'notes', 'implied'] as const;
const SAVED = 5;

/** Both sources are one database, that of `DATABASE_URL`. */
export function randomSessionWorld(random: Random): SessionWorld {
  const world = randomWorld(random, KINDS);
  const rule = random.pick(FAR_RULES);
  const parts = random.list(
    PARTS,
    (index): Part => ({
      id: index + 1,
      item: random.between(1, 9),
      owner: random.between(1, 2),
      open: random.chance(0.3),
    }),
  );
  const isShown = (part: Part) => rule.shows(part) || (world.role === 'heir' && part.open);
  const shown = new Map(parts.map((part) => [part.id, random.pick(LABELS)]));
  const rows = world.rows.map((own) => {
    const further = random.list(random.below(4), (index) => ({
      id: 101 + index,
      item: random.between(1, 9),
      owner: 2,
      open: false,
    }));
    const values = [...parts, ...further].map((part) => {
      const label = isShown(part) ? shown.get(part.id)! : random.pick(HIDDEN_LABELS);
      return `(${part.id}, ${part.item}, ${part.owner}, ${part.open}, '${label}')`;
    });
    return `${own}\ntruncate far.part; insert into far.part values ${values.join(', ')};`;
  }) as [string, string];
  const saved = random.list(SAVED, (index): SavedRead => {
    const read = randomRead(random, world);
    const name = `saved${index}`;
    return { ...read, name, query: read.query.replace(/^query(?: \w+)?/, `query ${name}`) };
  });
  return {
    ...world,
    schema: `${world.schema}\n${SCHEMA}`,
    rows,
    saved,
    metadata: withSessions(world.metadata, rule.filter, saved),
  };
}

function withSessions(metadata: JsonObject, filter: JsonObject, saved: readonly SavedRead[]): JsonObject {
  const [own] = metadata.sources as unknown as { readonly tables: readonly TableMetadata[] }[];
  const { tables, functions, ...rest } = own as unknown as Record<string, unknown> & {
    tables: readonly TableMetadata[];
    functions: readonly object[];
  };
  const columns = ['id', 'item_id', 'owner', 'open', 'label'];
  const part = { schema: 'far', name: 'part' };
  const select = (role: string, shown: readonly string[], rows: JsonObject) => ({
    role,
    permission: { columns: shown, filter: rows, allow_aggregations: true },
  });
  const far = {
    table: part,
    select_permissions: [
      select('one', columns, filter),
      select('two', columns.slice(0, 4), { open: { _eq: true } }),
    ],
    remote_relationships: [toSource('item', 'default', 'item', { item_id: 'id' }, 'object')],
  };
  const session = { session_argument: 'session' };
  return {
    ...metadata,
    sources: [
      defaultSource({
        ...withoutConnection(rest),
        tables: tables.map(withSessionFields),
        functions: [...functions, { function: 'my_items', configuration: session }],
      }),
      {
        ...defaultSource({
          tables: [far],
          functions: [{ function: { schema: 'far', name: 'my_parts' }, configuration: session }],
        }),
        name: 'far',
      },
    ],
    query_collections: [
      { name: 'sessions', definition: { queries: saved.map(({ name, query }) => ({ name, query })) } },
    ],
    rest_endpoints: saved.map(({ name }) => ({
      name,
      url: name,
      methods: ['POST'],
      definition: { query: { collection_name: 'sessions', query_name: name } },
    })),
  } as unknown as JsonObject;
}

interface TableMetadata {
  readonly table: string;
  readonly computed_fields: readonly object[];
  readonly select_permissions: readonly {
    readonly role: string;
    readonly permission: { readonly computed_fields?: readonly string[] };
  }[];
}

function withoutConnection({ name, kind, configuration, ...rest }: Record<string, unknown>) {
  return rest;
}

function withSessionFields(table: TableMetadata): object {
  const field = (name: string) => ({
    name,
    definition: { function: `${table.table}_${name}`, session_argument: 'session' },
  });
  if (table.table === 'team') return { ...table, computed_fields: [...table.computed_fields, field('mine')] };
  if (table.table !== 'item') return table;
  return {
    ...table,
    computed_fields: [...table.computed_fields, field('seen')],
    select_permissions: table.select_permissions.map(({ role, permission }) => ({
      role,
      permission:
        role === 'one'
          ? { ...permission, computed_fields: [...(permission.computed_fields ?? []), 'seen'] }
          : permission,
    })),
    remote_relationships: [
      toSource('parts', 'far', { schema: 'far', name: 'part' }, { id: 'item_id' }, 'array'),
    ],
  };
}

function toSource(
  name: string,
  source: string,
  table: Json,
  field_mapping: JsonObject,
  relationship_type: 'object' | 'array',
) {
  return { name, definition: { to_source: { source, table, relationship_type, field_mapping } } };
}
