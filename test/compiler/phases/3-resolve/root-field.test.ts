/** Names of root fields, and who has one that several claim. */
import { describe, expect, test } from 'vitest';
import { standardFields } from '../../../../runtime/core/program/standard-fields.ts';
import { defaultSource } from '../../../harness/metadata.ts';
import { catalog, compileJson } from '../../../harness/project.ts';

interface Extra {
  readonly functions?: readonly object[];
  readonly author?: object;
}

/** Articles called "story", and authors. */
function compileStory(article: object, { functions = [], author = {} }: Extra = {}) {
  const source = defaultSource(
    {
      tables: [
        { table: 'article', configuration: { custom_name: 'story', ...article } },
        { table: 'author', configuration: author },
      ],
      functions,
    },
    'postgres://localhost/test',
  );
  const { files, diagnostics } = compileJson(
    { version: 3, sources: [source] },
    {
      catalogs: {
        default: {
          ...catalog,
          functions: [
            {
              schema: 'public',
              name: 'author',
              oid: 9,
              arguments: [],
              returns: { schema: 'public', name: 'author' },
              returnsSet: true,
              volatility: 'stable',
              language: 'sql',
            },
          ],
        },
      },
    },
  );
  const fieldsOf = (table: string) => {
    const text = files.get(`sources/default/public/${table}.table.ts`) ?? '';
    const listed = [...text.matchAll(/(\w+): "(\w+)"/g)].map(([, name, kind]) => [name, kind]);
    const standard = [...text.matchAll(/standardFields\("(\w+)"\)/g)].flatMap(([, base]) =>
      Object.entries(standardFields(base!).query),
    );
    return [...standard, ...listed].flatMap(([name, kind]) => (kind === 'select_by_pk' ? [name] : []));
  };
  return { fieldsOf, codes: diagnostics.map(({ code }) => code) };
}

describe('the single row of a table with a custom name', () => {
  test('has two names', () => {
    const { fieldsOf, codes } = compileStory({});
    expect(fieldsOf('article')).toEqual(['story_by_pk', 'story_one']);
    expect(fieldsOf('author')).toEqual(['author_by_pk']);
    expect(codes).toEqual([]);
  });

  test('has one name where that is a custom one', () => {
    const custom = { custom_root_fields: { select_by_pk: 'tale' } };
    expect(compileStory(custom).fieldsOf('article')).toEqual(['tale']);
  });

  test('gives its second name up to whatever else is called so', () => {
    const { fieldsOf, codes } = compileStory({}, { author: { custom_root_fields: { select: 'story_one' } } });
    expect(fieldsOf('article')).toEqual(['story_by_pk']);
    expect(codes).toEqual([]);
  });
});

test('a function cannot take the root fields of a table', () => {
  const { codes } = compileStory({}, { functions: [{ function: 'author' }] });
  expect(codes).toEqual(['root-field-conflict']);
});

describe('the field that groups rows, of an extension', () => {
  const naming = { enabled: false, default: 'engine-default', extensions: ['group_by'] } as const;
  const remote = { name: 'shop', definition: { url: 'http://localhost/shop' } };

  function compileGroups(sdl: string, source: object = {}) {
    const tables = [{ table: 'article' }, { table: 'author' }];
    const { files, diagnostics } = compileJson(
      {
        version: 3,
        sources: [defaultSource({ tables, ...source }, 'postgres://localhost/test')],
        remote_schemas: [remote],
      },
      { naming, remotes: { shop: { sdl } } },
    );
    const groups = [...files].flatMap(([path, text]) =>
      path.endsWith('.table.ts')
        ? [...text.matchAll(/(\w+): "select_group_by"/g)].map(([, name]) => name)
        : [],
    );
    return { groups, reports: diagnostics.map(({ code, severity }) => `${severity} ${code}`) };
  }

  test.each([
    ['a root field', 'type Query { article_group_by: Int }'],
    ['a type', 'type Query { other: article_group_by_key } type article_group_by_key { id: Int }'],
  ])('gives way to %s of a remote schema', (_, sdl) => {
    expect(compileGroups(sdl)).toEqual({
      groups: ['author_group_by'],
      reports: ['warning group-by-left-out'],
    });
  });

  test('of a source with a namespace meets only fields below that', () => {
    const customization = { root_fields: { namespace: 'db' } };
    expect(compileGroups('type Query { article_group_by: Int }', { customization })).toEqual({
      groups: ['article_group_by', 'author_group_by'],
      reports: [],
    });
    const tables = [
      { table: 'article' },
      { table: 'author', configuration: { custom_root_fields: { select: 'article_group_by' } } },
    ];
    expect(compileGroups('type Query { other: Int }', { customization, tables })).toEqual({
      groups: ['author_group_by'],
      reports: ['warning group-by-left-out'],
    });
  });
});
