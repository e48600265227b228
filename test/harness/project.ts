/** A small project for tests of single rules: articles, authors and organisations, without a database. */
import { type CompileInput, type CompileResult, compile } from '../../compiler/index.ts';
import { readMetadata } from '../../compiler/phases/1-read/index.ts';
import type {
  CatalogColumn,
  CatalogTable,
  CatalogTypeReference,
  SourceCatalog,
} from '../../runtime/catalog/catalog.ts';
import { metadataOf } from './metadata.ts';

type ColumnText = string;

/** `table('article', ['id int4 not null', …], { primaryKey: ['id'], references: { author_id: 'author' } })` */
function table(
  name: string,
  columns: readonly ColumnText[],
  keys: {
    readonly primaryKey?: readonly string[];
    readonly references?: Readonly<Record<string, string>>;
  } = {},
): CatalogTable {
  return {
    schema: 'public',
    name,
    oid: 1,
    kind: 'table',
    columns: columns.map(column),
    ...(keys.primaryKey && { primaryKey: { name: `${name}_pkey`, columns: keys.primaryKey, oid: 1 } }),
    uniqueConstraints: [],
    uniqueIndexes: [],
    indexes: [],
    foreignKeys: Object.entries(keys.references ?? {}).map(([from, to]) => ({
      name: `${name}_${from}_fkey`,
      oid: 1,
      columns: [from],
      references: { schema: 'public', name: to, columns: ['id'] },
    })),
    checks: [],
    insertable: true,
    updatable: true,
    deletable: true,
  };
}

function column(text: ColumnText, index: number): CatalogColumn {
  const [name = '', type = '', ...rest] = text.split(' ');
  return {
    name,
    position: index + 1,
    type: typeReference(type),
    ...(rest.join(' ') === 'not null' && { notNull: true }),
  };
}

function typeReference(text: string): CatalogTypeReference {
  const array = text.endsWith('[]');
  const [name = '', schema = 'pg_catalog'] = text.replace('[]', '').split('.').reverse();
  return { schema, name, ...(array && { array }) };
}

export const catalog: SourceCatalog = {
  serverVersion: 180000,
  extensions: [],
  types: [
    { schema: 'public', name: 'mood', oid: 1, kind: 'enum', values: ['happy', 'sad'] },
    { schema: 'public', name: 'citext', oid: 2, kind: 'base' },
    { schema: 'public', name: 'ltree', oid: 3, kind: 'base' },
  ],
  tables: [
    table(
      'article',
      [
        'id int4 not null',
        'author_id int4 not null',
        'editor_id int4',
        'title text not null',
        'subtitle text',
        'rating float4',
        'price numeric',
        'mood public.mood',
        'code public.citext',
        'place public.ltree',
        'tags text[]',
        'meta jsonb',
        'is_published bool not null',
        'published_on timestamptz',
      ],
      { primaryKey: ['id'], references: { author_id: 'author', editor_id: 'author' } },
    ),
    table('author', ['id int4 not null', 'name text not null', 'organisation_id int4 not null'], {
      primaryKey: ['id'],
      references: { organisation_id: 'organisation' },
    }),
    table('member', ['organisation_id int4', 'user_id int4'], {
      references: { organisation_id: 'organisation' },
    }),
    table('organisation', ['id int4 not null', 'country text'], { primaryKey: ['id'] }),
  ],
  functions: [],
  enumTables: {},
};

const foreignKey = (on: unknown) => ({ foreign_key_constraint_on: on });

/** Metadata of the project; `article` adds keys to the entry of the table article, `more` to the document. */
export function metadataJson(article: object = {}, more: object = {}): object {
  return metadataOf(
    [
      {
        table: 'article',
        object_relationships: [
          { name: 'author', using: foreignKey('author_id') },
          { name: 'editor', using: foreignKey('editor_id') },
        ],
        ...article,
      },
      {
        table: 'author',
        object_relationships: [{ name: 'organisation', using: foreignKey('organisation_id') }],
        array_relationships: [
          { name: 'articles', using: foreignKey({ table: 'article', column: 'author_id' }) },
        ],
      },
      { table: 'member' },
      {
        table: 'organisation',
        array_relationships: [
          { name: 'members', using: foreignKey({ table: 'member', column: 'organisation_id' }) },
        ],
      },
    ],
    { ...more },
    'postgres://localhost/test',
  );
}

/** Compiles metadata against the catalog of the project. */
export function compileJson(
  json: object,
  input: Partial<CompileInput> = {},
  previous?: CompileResult,
): CompileResult {
  const { value, diagnostics } = readMetadata(json);
  const result = compile({ metadata: value, catalogs: { default: catalog }, ...input }, previous);
  return { ...result, diagnostics: [...diagnostics, ...result.diagnostics] };
}

/** Compiles the project with a select permission of role `user` on articles. */
export function compileSelect(permission: object): CompileResult {
  return compileJson(
    metadataJson({
      select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {}, ...permission } }],
    }),
  );
}
