/**
 * Changes of metadata and the verdict of `audit diff`: the worst of its findings, or `same`. The truth is in the name of a
 * case. A change that lets a role do more is never `same`, `not wider` or `narrower`.
 */
import { expect, test } from 'vitest';
import { diffCode } from '../../../../compiler/review/audit/diff.ts';
import { VERDICTS } from '../../../../compiler/review/audit/finding.ts';
import { readTexts } from '../../../../compiler/review/generated-code/index.ts';
import { compileJson, metadataJson } from '../../../harness/project.ts';

const U = 'X-Engine-User-Id';
const OWN = { author_id: U };
const select = { columns: ['id', 'title'], filter: OWN };

/** Metadata in which role `user` has these permissions on articles. */
function article(permissions: Readonly<Record<string, object>>, more: object = {}): object {
  const entries = Object.entries(permissions).map(([operation, permission]) => [
    `${operation}_permissions`,
    [{ role: 'user', permission }],
  ]);
  return metadataJson({ ...Object.fromEntries(entries), ...more });
}

function verdict(before: object, after: object): string {
  const code = (json: object, label: string) => {
    const { files, diagnostics } = compileJson(json);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return readTexts({ label, folder: label, files });
  };
  const { findings } = diffCode(code(before, 'base'), code(after, 'head'));
  return VERDICTS.find((each) => findings.some((finding) => finding.verdict === each)) ?? 'same';
}

/** Filters of the select permission: before, after, verdict. */
const FILTERS: readonly (readonly [name: string, before: object, after: object, verdict: string])[] = [
  ['an _or branch for everyone', OWN, { _or: [OWN, { is_published: true }] }, 'wider'],
  ['an _or branch that is always true', OWN, { _or: [OWN, { _not: { id: { _is_null: true } } }] }, 'wider'],
  ['an _or by De Morgan', OWN, { _not: { _and: [{ _not: OWN }, { is_published: false }] } }, 'wider'],
  [
    'an _or inside a relationship',
    { author: { organisation_id: U } },
    { author: { _or: [{ organisation_id: U }, { name: 'x' }] } },
    'wider',
  ],
  ['a condition dropped', { ...OWN, is_published: true }, { is_published: true }, 'wider'],
  [
    '_and becomes _or',
    { _and: [OWN, { rating: { _gt: 1 } }] },
    { _or: [OWN, { rating: { _gt: 1 } }] },
    'wider',
  ],
  ['every row', OWN, {}, 'wider'],
  ['an empty _and', OWN, { _and: [] }, 'wider'],
  ['not of an empty _or', OWN, { _not: { _or: [] } }, 'wider'],
  ['an uncorrelated _exists', OWN, { _exists: { _table: 'member', _where: { user_id: U } } }, 'undecidable'],
  [
    'an uncorrelated _exists as a branch',
    OWN,
    { _or: [OWN, { _exists: { _table: 'member', _where: { user_id: U } } }] },
    'wider',
  ],
  ['the opposite', { published_on: { _is_null: false } }, { published_on: { _is_null: true } }, 'wider'],
  ['another range', { id: { _gt: 10 } }, { id: { _lt: 10 } }, 'wider'],
  ['another enum value', { mood: 'happy' }, { mood: 'sad' }, 'wider'],
  ['another session variable', OWN, { author_id: 'X-Engine-Other' }, 'undecidable'],
  ['another column', OWN, { editor_id: U }, 'undecidable'],
  [
    'a negated value across a relationship',
    { editor: { id: { _neq: 3 } } },
    { _not: { editor: { id: { _eq: 3 } } } },
    'wider',
  ],
  [
    'a to-many relationship split in two',
    { author: { articles: { title: 'a', is_published: true } } },
    { author: { _and: [{ articles: { title: 'a' } }, { articles: { is_published: true } }] } },
    'wider',
  ],
  ['a limit of a range raised', { rating: { _gt: 3 } }, { rating: { _gt: 2 } }, 'wider'],
  ['one value more', { mood: { _in: ['happy'] } }, { mood: { _in: ['happy', 'sad'] } }, 'wider'],
  // The same rows.
  ['another order', { ...OWN, is_published: true }, { _and: [{ is_published: true }, OWN] }, 'same'],
  ['a condition twice', OWN, { _and: [OWN, OWN] }, 'same'],
  [
    'a condition that follows',
    { id: { _gt: 5 } },
    { _and: [{ id: { _gt: 5 } }, { id: { _gt: 3 } }] },
    'same',
  ],
  ['double not', OWN, { _not: { _not: OWN } }, 'same'],
  ['_eq and _in of one', { title: 'a' }, { title: { _in: ['a'] } }, 'same'],
  [
    '_neq and _not _eq of a column that is never null',
    { title: { _neq: 'a' } },
    { _not: { title: { _eq: 'a' } } },
    'same',
  ],
  ['_in and _or', { title: { _in: ['a', 'b'] } }, { _or: [{ title: 'a' }, { title: 'b' }] }, 'same'],
  [
    'distributed',
    {
      _or: [
        { ...OWN, id: { _gt: 1 } },
        { ...OWN, title: 'a' },
      ],
    },
    { _and: [OWN, { _or: [{ id: { _gt: 1 } }, { title: 'a' }] }] },
    'same',
  ],
  [
    'De Morgan',
    { _not: { _or: [OWN, { title: 'a' }] } },
    { _and: [{ _not: OWN }, { _not: { title: 'a' } }] },
    'same',
  ],
  [
    'De Morgan over a nullable column and the session',
    { _not: { _or: [{ editor_id: { _is_null: true } }, { editor_id: { _neq: U } }] } },
    { editor_id: { _eq: U } },
    'same',
  ],
  ['not null of a column that is never null', OWN, { ...OWN, title: { _is_null: false } }, 'same'],
  ['such a condition removed', { ...OWN, title: { _is_null: false } }, OWN, 'same'],
  ['integers: above 2, from 3 on', { id: { _gt: 2 } }, { id: { _gte: 3 } }, 'same'],
  ['integers: between, and equal', { id: { _gt: 2, _lt: 4 } }, { id: 3 }, 'same'],
  ['a pattern that every text fits', OWN, { ...OWN, title: { _ilike: '%' } }, 'same'],
  [
    'enum: the others',
    { mood: 'happy' },
    { _and: [{ mood: { _is_null: false } }, { mood: { _nin: ['sad'] } }] },
    'same',
  ],
  [
    'enum: every value',
    OWN,
    { ...OWN, _or: [{ mood: { _is_null: true } }, { mood: { _in: ['happy', 'sad'] } }] },
    'same',
  ],
  ['booleans: every value', OWN, { ...OWN, is_published: { _in: [true, false] } }, 'same'],
  ['booleans: not false', { is_published: true }, { _not: { is_published: false } }, 'same'],
  [
    'a to-one relationship split in two',
    { author: { organisation_id: U, name: 'x' } },
    { _and: [{ author: { organisation_id: U } }, { author: { name: 'x' } }] },
    'same',
  ],
  // The same by the foreign key.
  ['the same table by a relationship and back', OWN, { ...OWN, author: { articles: OWN } }, 'same'],
  ['a row that a foreign key demands', {}, { author: {} }, 'same'],
  ['a contradiction', { _and: [{ id: { _gt: 3 } }, { id: { _lt: 3 } }] }, { _or: [] }, 'same'],
  ['null of a key', { id: { _is_null: true } }, { _or: [] }, 'same'],
  // Fewer rows.
  ['a condition more', OWN, { ...OWN, is_published: true }, 'narrower'],
  ['a branch less', { _or: [OWN, { title: 'a' }] }, OWN, 'narrower'],
  ['no row', OWN, { _or: [] }, 'narrower'],
  ['null of a key instead of a rule', OWN, { id: { _is_null: true } }, 'narrower'],
  ['a limit of a range lowered', { id: { _gt: 2 } }, { id: { _gt: 3 } }, 'narrower'],
  ['a value less', { mood: { _in: ['happy', 'sad'] } }, { mood: 'sad' }, 'narrower'],
  ['an _exists more', OWN, { ...OWN, _exists: { _table: 'member', _where: { user_id: U } } }, 'not wider'],
  ['a pattern more', OWN, { ...OWN, title: { _like: 'a%' } }, 'not wider'],
];

test.each(FILTERS)('%s', (_name, before, after, expected) => {
  const found = verdict(
    article({ select: { ...select, filter: before } }),
    article({ select: { ...select, filter: after } }),
  );
  expect(found).toBe(expected);
});

const insert = { columns: ['title'], check: {}, set: OWN };
const update = { columns: ['title'], filter: OWN, check: OWN };

/** Whole permissions: before, after, verdict. */
const PERMISSIONS: readonly (readonly [
  string,
  Readonly<Record<string, object>>,
  Readonly<Record<string, object>>,
  string,
])[] = [
  ['a new table', {}, { select }, 'wider'],
  ['a permission gone', { select }, {}, 'narrower'],
  ['a column more', { select }, { select: { ...select, columns: ['id', 'title', 'price'] } }, 'wider'],
  ['a column less', { select }, { select: { ...select, columns: ['id'] } }, 'narrower'],
  [
    'every column, which were all there',
    { select: { ...select, columns: '*' } },
    { select: { ...select, columns: '*' } },
    'same',
  ],
  ['aggregates', { select }, { select: { ...select, allow_aggregations: true } }, 'wider'],
  ['a limit raised', { select: { ...select, limit: 5 } }, { select: { ...select, limit: 50 } }, 'wider'],
  ['root fields opened', { select: { ...select, query_root_fields: [] } }, { select }, 'wider'],
  [
    'one root field opened',
    { select: { ...select, query_root_fields: ['select_by_pk'] } },
    { select: { ...select, query_root_fields: ['select', 'select_by_pk'] } },
    'wider',
  ],
  ['root fields hidden', { select }, { select: { ...select, query_root_fields: [] } }, 'narrower'],
  ['subscriptions opened', { select: { ...select, subscription_root_fields: [] } }, { select }, 'wider'],
  [
    'an owner that becomes a choice',
    { insert },
    { insert: { columns: ['title', 'author_id'], check: {} } },
    'wider',
  ],
  ['a preset that becomes a literal', { insert }, { insert: { ...insert, set: { author_id: 2 } } }, 'wider'],
  [
    'a preset from another session variable',
    { insert },
    { insert: { ...insert, set: { author_id: 'X-Engine-Other' } } },
    'undecidable',
  ],
  ['backends only no longer', { insert: { ...insert, backend_only: true } }, { insert }, 'wider'],
  ['backends only', { insert }, { insert: { ...insert, backend_only: true } }, 'narrower'],
  ['a check dropped', { update }, { update: { ...update, check: null } }, 'wider'],
  [
    'a check that finds its own row, which is not there yet',
    { insert: { columns: ['title'], check: {} } },
    {
      insert: {
        columns: ['title'],
        check: { _exists: { _table: 'article', _where: { id: { _ceq: ['$', 'id'] } } } },
      },
    },
    'not-same',
  ],
  [
    'an owner that can be changed',
    { update },
    { update: { ...update, columns: ['title', 'author_id'] } },
    'wider',
  ],
  ['any row can be deleted', { delete: { filter: OWN } }, { delete: { filter: {} } }, 'wider'],
];

test.each(PERMISSIONS)('%s', (_name, before, after, expected) => {
  const found = verdict(article(before), article(after));
  if (expected === 'not-same') expect(['not wider', 'narrower']).toContain(found);
  else expect(found).toBe(expected);
});
