/** Names of root fields, and who has one that several claim. */
import { describe, expect, test } from 'vitest';
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
  const fieldsOf = (table: string) =>
    [...(files.get(`sources/default/public/${table}.table.ts`) ?? '').matchAll(/(\w+): "(\w+)"/g)].flatMap(
      ([, name, kind]) => (kind === 'select_by_pk' ? [name] : []),
    );
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
  // Its rows and their aggregate.
  expect(codes).toEqual(['root-field-conflict', 'root-field-conflict']);
});
