/** The document of the moment, changed here and there and sent as a whole: what stays is kept, what it touches is not. */
import { exportMetadata } from '../../../compiler/phases/1-read/index.ts';
import type { Random } from '../random.ts';
import { TABLE_NAMES } from './database.ts';
import type { Drawing, RandomRequest } from './random-operation.ts';

interface Entry {
  name: string;
  using?: unknown;
  permission?: { filter?: object };
}

interface Table {
  table: { name: string };
  configuration?: object;
  object_relationships?: Entry[];
  array_relationships?: Entry[];
  select_permissions?: Entry[];
}

interface Document {
  sources: { tables: Table[]; functions?: unknown[] }[];
}

/** A request that replaces the metadata. */
export function randomDocument({ random, state }: Drawing): RandomRequest['body'] {
  const document = structuredClone(exportMetadata(state.metadata)) as unknown as Document;
  for (let changes = random.between(0, 3); changes > 0; changes -= 1) {
    const tables = document.sources.flatMap((source) => source.tables);
    if (tables.length > 0) random.pick(CHANGES)(random, random.pick(tables), document);
  }
  const metadata = document as never;
  return {
    type: 'replace_metadata',
    version: 2,
    args: { allow_inconsistent_metadata: random.chance(0.7), metadata },
  };
}

type Change = (random: Random, table: Table, document: Document) => void;

/** A relationship of the same name that leads elsewhere: permissions of other tables may walk it. */
const redirect: Change = (random, _, { sources }) => {
  const entries = sources.flatMap(({ tables }) =>
    tables.flatMap((table) => [
      ...(table.object_relationships ?? []).map((entry) => [entry, true] as const),
      ...(table.array_relationships ?? []).map((entry) => [entry, false] as const),
    ]),
  );
  if (entries.length === 0) return;
  const [entry, isObject] = random.pick(entries);
  const column = random.pick(['author_id', 'editor_id']);
  entry.using = {
    foreign_key_constraint_on: isObject ? column : { table: { schema: 'public', name: 'article' }, column },
  };
};

const CHANGES: readonly Change[] = [
  redirect,
  redirect,
  redirect,
  // Two fields of one name.
  (_, { object_relationships, array_relationships = [] }) => {
    if (object_relationships?.[0])
      array_relationships.push({
        name: object_relationships[0].name,
        using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
      });
  },
  (random, table) => {
    table.configuration = { custom_name: random.pick(TABLE_NAMES) };
  },
  (_, { select_permissions }) => {
    if (select_permissions?.[0]?.permission) select_permissions[0].permission.filter = {};
  },
  (_, table, { sources }) => {
    for (const source of sources) source.tables = source.tables.filter((each) => each !== table);
  },
  (_, __, { sources }) => {
    for (const { tables, functions } of sources) {
      tables.reverse();
      functions?.reverse();
      for (const table of tables) table.select_permissions?.reverse();
    }
  },
];
