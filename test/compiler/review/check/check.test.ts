import { createRequire } from 'node:module';
import type * as Inspector from '@graphql-inspector/core';
import type * as GraphQL from 'graphql';
import { type GraphQLSchema, printSchema } from 'graphql';
import { expect, test } from 'vitest';
import type { Weight } from '../../../../compiler/review/check/change.ts';
import { checkCode, heaviest } from '../../../../compiler/review/check/index.ts';
import { checkMarkdown, checkText, subjectOf } from '../../../../compiler/review/check/render.ts';
import { schemaChanges } from '../../../../compiler/review/check/schema-changes.ts';
import { readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { graphqlSchema } from '../../../../runtime/core/schema/graphql-schema.ts';
import { compileJson, metadataJson } from '../../../harness/project.ts';

// Both of one module system: graphql-js refuses objects of its other copy.
const require = createRequire(import.meta.url);
const { CriticalityLevel, diff } = require('@graphql-inspector/core') as typeof Inspector;
const { buildSchema } = require('graphql') as typeof GraphQL;

const SELECT = { columns: ['id', 'title', 'rating', 'mood'], filter: {} };

function article(select: object = SELECT, more: object = {}, document: object = {}) {
  const permissions = { select_permissions: [{ role: 'user', permission: select }], ...more };
  return metadataJson(permissions, { ...collections(), ...document });
}

function collections(query = 'query titles { article { id title } }', more: object = {}) {
  return {
    query_collections: [{ name: 'web', definition: { queries: [{ name: 'titles', query }] } }],
    rest_endpoints: [
      {
        name: 'titles',
        url: 'titles',
        methods: ['GET'],
        definition: { query: { collection_name: 'web', query_name: 'titles' } },
      },
    ],
    ...more,
  };
}

function code(json: object, label = 'code') {
  const { files, diagnostics } = compileJson(json);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return readTexts({ label, folder: 'generated', files });
}

const base = () => code(article(), 'base');
const update = (columns: readonly string[]) => ({
  update_permissions: [{ role: 'user', permission: { columns, filter: {}, check: null } }],
});

test('code that did not change has nothing to notice', () => {
  const result = checkCode(base(), base());
  expect([result.operations, result.schemas, heaviest(result)]).toEqual([[], [], undefined]);
  expect(checkText(result)).toBe('base → base\n\nClients notice nothing.\n');
});

test('a column that a role loses breaks the operations that select it, and its schema, for that role alone', () => {
  const head = code(article({ ...SELECT, columns: ['id', 'rating', 'mood'] }), 'head');
  const { operations, schemas } = checkCode(base(), head);
  expect(operations).toEqual([
    {
      collection: 'web',
      operation: 'titles',
      weight: 'breaking',
      kind: 'OPERATION_REFUSED',
      roles: ['user'],
      text: "web.titles can no longer be run: field 'title' not found in type: 'article'",
    },
  ]);
  expect(schemas.map(({ weight, text, roles }) => ({ weight, text, roles }))).toContainEqual({
    weight: 'breaking',
    text: 'article.title was removed',
    roles: ['user'],
  });
});

test("subscriptions break as queries do: by a column, a stream's cursor, or a root field that is no longer offered", () => {
  const live = 'subscription titles { article { id title } }';
  const stream =
    'subscription titles { article_stream(batch_size: 1, cursor: {initial_value: {title: "a"}}) { id } }';
  const less = { ...SELECT, columns: ['id'] };
  const noList = { ...SELECT, subscription_root_fields: ['select_by_pk'] };
  const refusals = [
    [live, less],
    [live, noList],
    [stream, less],
    [stream, noList],
  ].map(([query, select]) => {
    const saved = { ...collections(query as string), rest_endpoints: [] };
    const { operations } = checkCode(
      code(article(SELECT, {}, saved), 'base'),
      code(article(select as object, {}, saved), 'head'),
    );
    return operations.map(({ weight, kind, roles, text }) => [weight, kind, roles, text]);
  });
  const refused = (why: string) => [
    ['breaking', 'OPERATION_REFUSED', ['user'], `web.titles can no longer be run: ${why}`],
  ];
  expect(refusals).toEqual([
    refused("field 'title' not found in type: 'article'"),
    refused("field 'article' not found in type: 'subscription_root'"),
    refused("field 'title' not found in type: 'article_stream_cursor_value_input'"),
    refused("field 'article_stream' not found in type: 'subscription_root'"),
  ]);
});

test('row rules are not the business of a check', () => {
  const head = code(article({ ...SELECT, filter: { id: { _eq: 1 } }, limit: 5 }));
  expect(checkCode(base(), head).schemas).toEqual([]);
});

test('an operation that is gone, wants a new variable, or answers with other types is breaking', () => {
  const kinds = (query: string) =>
    checkCode(base(), code(article(SELECT, {}, collections(query)))).operations.map(({ weight, kind }) => [
      weight,
      kind,
    ]);
  expect(kinds('query titles($id: Int!) { article(where: {id: {_eq: $id}}) { id title } }')).toEqual([
    ['breaking', 'VARIABLE_ADDED'],
    ['dangerous', 'OPERATION_TEXT_CHANGED'],
  ]);
  expect(kinds('query titles { article { id title: rating } }')).toEqual([
    ['breaking', 'ANSWER_TYPE_CHANGED'],
    ['dangerous', 'OPERATION_TEXT_CHANGED'],
  ]);
  const gone = checkCode(base(), code(article(SELECT, {}, { query_collections: [], rest_endpoints: [] })));
  expect(gone.operations.map(({ kind, roles }) => [kind, roles])).toEqual([
    ['OPERATION_REMOVED', ['admin', 'user']],
    ['ENDPOINT_REMOVED', []],
  ]);
});

test('what a role could not run before cannot break for it', () => {
  const without = code(article({ ...SELECT, columns: ['id'] }));
  expect(checkCode(without, without).operations).toEqual([]);
  const head = code(article({ ...SELECT, columns: [] }));
  expect(checkCode(without, head).operations).toEqual([]);
});

test('a document that leaves the allow-list is told to the roles that could send it', () => {
  const allow = { allowlist: [{ collection: 'web', scope: { global: false, roles: ['user'] } }] };
  const listed = code(article(SELECT, {}, { ...collections(), ...allow }));
  expect(checkCode(listed, base()).operations).toEqual([
    expect.objectContaining({ kind: 'ALLOW_LIST_REMOVED', weight: 'dangerous', roles: ['user'] }),
  ]);
});

test('text and Markdown fold what follows from one column, and say for whom', () => {
  const result = checkCode(base(), code(article({ ...SELECT, columns: ['id', 'rating', 'mood'] }), 'head'));
  expect(checkText(result)).toContain(`  breaking  user
    String_comparison_exp was removed
    article.title was removed
    4 changes of types derived from article: article_bool_exp.title, article_order_by.title, article_stream_cursor_value_input.title, article_select_column.title\n`);
  expect(checkMarkdown(result)).toContain('- article.title was removed\n');
});

const LEVELS: Readonly<Record<Inspector.CriticalityLevel, Weight>> = {
  [CriticalityLevel.Breaking]: 'breaking',
  [CriticalityLevel.Dangerous]: 'dangerous',
  [CriticalityLevel.NonBreaking]: 'safe',
};

/** Pairs of metadata, by what happens from the first to the second. */
const PAIRS: Readonly<Record<string, readonly [object, object]>> = {
  'a column fewer': [article(), article({ ...SELECT, columns: ['id', 'title'] })],
  'a column more': [
    article(),
    article({ ...SELECT, columns: ['id', 'title', 'rating', 'mood', 'author_id'] }),
  ],
  'aggregates appear': [article(), article({ ...SELECT, allow_aggregations: true })],
  'aggregates disappear': [article({ ...SELECT, allow_aggregations: true }), article()],
  'writing begins': [article(), article(SELECT, update(['title']))],
  'writing ends': [article(SELECT, update(['title'])), article()],
  'a column is written no longer': [
    article(SELECT, update(['title', 'rating'])),
    article(SELECT, update(['title'])),
  ],
  'a root field is hidden': [article(), article({ ...SELECT, query_root_fields: ['select'] })],
  'another field name': [
    article(),
    article(SELECT, { configuration: { column_config: { title: { custom_name: 'heading' } } } }),
  ],
  'another type name': [article(), article(SELECT, { configuration: { custom_name: 'Post' } })],
  'everything is gone': [article(), article({ ...SELECT, columns: [] })],
};

test.each(Object.entries(PAIRS))(
  'the public inspector weighs changes as we do: %s',
  async (_name, [before, after]) => {
    // Saved operations would not compile everywhere, and are not the subject.
    const schema = (json: object, role: string) =>
      graphqlSchema(
        code({ ...json, query_collections: [], rest_endpoints: [] }).program.roleSchema(role, false),
      );
    for (const role of ['user', 'admin']) {
      const [old, next] = [schema(before, role), schema(after, role)];
      const ours = heaviestByType(
        schemaChanges(old, next).map(({ weight, text }) => [subjectOf(text), weight]),
      );
      const theirs = heaviestByType(
        (await diff(copy(old), copy(next))).map(({ path, criticality }) => [
          path ?? '',
          LEVELS[criticality.level],
        ]),
      );
      // Descriptions are compared there, and that a root type is gone is told twice.
      for (const [type, weight] of theirs)
        if (type === '' || (weight === 'safe' && !ours.has(type))) theirs.delete(type);
      expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(theirs));
    }
  },
);

function copy(schema: GraphQLSchema): GraphQLSchema {
  return buildSchema(printSchema(schema));
}

function heaviestByType(changes: readonly (readonly [string, Weight])[]): Map<string, Weight> {
  const order: readonly Weight[] = ['safe', 'dangerous', 'breaking'];
  const byType = new Map<string, Weight>();
  for (const [path, weight] of changes) {
    const type = path.split('.')[0]!;
    const known = byType.get(type);
    if (!known || order.indexOf(weight) > order.indexOf(known)) byType.set(type, weight);
  }
  return byType;
}
