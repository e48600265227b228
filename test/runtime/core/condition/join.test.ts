import { describe, expect, test } from 'vitest';
import type { JoinedBy } from '../../../../runtime/core/condition/implied.ts';
import { follows } from '../../../../runtime/core/condition/join.ts';

function followsByJoin(known: string, asked: string, join: JoinedBy): boolean {
  return follows({ known, asked, join });
}

/** The invoices of a customer. */
const invoices: JoinedBy = {
  from: '"public" . "customer"',
  to: '"public" . "invoice"',
  pairs: [{ own: '"id"', other: '"customer_id"', ownType: 'int4', otherType: 'int4' }],
  unique: false,
};

/** The customer of an invoice. */
const customer: JoinedBy = {
  from: '"public" . "invoice"',
  to: '"public" . "customer"',
  pairs: [{ own: '"customer_id"', other: '"id"', ownType: 'int4', otherType: 'int4' }],
  unique: true,
};

const lines: JoinedBy = {
  from: '"public" . "invoice"',
  to: '"public" . "line"',
  pairs: [{ own: '"id"', other: '"invoice_id"', ownType: 'int4', otherType: 'int4' }],
  unique: false,
};

const mine = '{row}."agent" = {session.x-engine-user-id::integer}';
const customerIsMine =
  'exists (select 1 from "public"."customer" as "_r1" where "_r1"."id" = {row}."customer_id" and "_r1"."agent" = {session.x-engine-user-id::integer})';
const invoiceIsMine = `exists (
    select 1
    from "public"."invoice" as "_r1"
      join "public"."customer" as "_r2" on "_r2"."id" = "_r1"."customer_id"
    where "_r1"."id" = {row}."invoice_id" and "_r2"."agent" = {session.x-engine-user-id::integer}
  )`;

describe('a rule follows', () => {
  test.each([
    ['of what a row that is mine leads to', mine, customerIsMine, invoices],
    ['of what a row leads to that is mine by another', customerIsMine, invoiceIsMine, lines],
    ['of the only row that the rule speaks of', customerIsMine, mine, customer],
    [
      'of the only row, by a further one',
      invoiceIsMine,
      customerIsMine,
      {
        ...customer,
        from: '"public" . "line"',
        to: '"public" . "invoice"',
        pairs: [{ own: '"invoice_id"', other: '"id"', ownType: 'int4', otherType: 'int4' }],
      },
    ],
    [
      'of the joined column',
      '{row}."id" = {session.x-engine-id::integer}',
      '{row}."customer_id" = {session.x-engine-id::integer}',
      invoices,
    ],
    ['where more is known', `${mine} and not {row}."gone"`, customerIsMine, invoices],
    [
      'in every part',
      `${mine} and {row}."id" > 3`,
      `${customerIsMine} and {row}."customer_id" > 3`,
      invoices,
    ],
    [
      'whatever the case of its words',
      mine,
      customerIsMine.replace('where', 'WHERE').replace(' and ', ' AND '),
      invoices,
    ],
    [
      'of texts that are asked for equality',
      '{row}."id" = \'a and b\'',
      '{row}."customer_id" = \'a and b\'',
      { ...invoices, pairs: [{ own: '"id"', other: '"customer_id"', ownType: 'text', otherType: 'text' }] },
    ],
    [
      'with negated conditions',
      'not exists (select 1 from "public"."ban" as "_r1" where "_r1"."customer" = {row}."id")',
      'not exists (select 1 from "public"."ban" as "_r1" where "_r1"."customer" = {row}."customer_id")',
      invoices,
    ],
    ['of every part of an alternative', `${mine} OR {row}."open" and ${mine}`, customerIsMine, invoices],
    [
      'of alternatives that are the same',
      '{row}."id" = 1 or {row}."id" = 2',
      '{row}."customer_id" = 1 or {row}."customer_id" = 2',
      invoices,
    ],
  ] as const)('%s', (_name, known, asked, join) => {
    expect(followsByJoin(known, asked, join)).toBe(true);
  });
});

test('parentheses that say nothing are no difference', () => {
  const known =
    'exists (select 1 from "public"."customer" as "_r1" where "_r1"."id" = {row}."customer_id" and ("_r1"."a" or "_r1"."b"))';
  expect(followsByJoin(known, '{row}."a" or {row}."b"', customer)).toBe(true);
  expect(followsByJoin(known, '({row}."a" or {row}."b") and ({row}."a")', customer)).toBe(false);
  expect(followsByJoin(known, '({row}."a") or ({row}."b" and {row}."a")', customer)).toBe(false);
});

describe('a rule does not follow', () => {
  test.each([
    ['of nothing', 'true', mine, customer],
    ['of another variable', mine, customerIsMine.replace('user-id', 'boss-id'), invoices],
    ['of another column', mine.replace('agent', 'boss'), customerIsMine, invoices],
    ['where the row need not be stored', mine, customerIsMine, { ...invoices, from: undefined }],
    [
      'by another way than the one that was gone',
      mine,
      customerIsMine.replace('"customer_id"', '"payer_id"'),
      invoices,
    ],
    ['of one of several rows', customerIsMine, mine, { ...customer, unique: false }],
    [
      'of the only row by another column',
      customerIsMine.replace('"_r1"."id"', '"_r1"."old_id"'),
      mine,
      customer,
    ],
    ['where more is asked', mine, `${customerIsMine} and {row}."open"`, invoices],
    ['of a part of an alternative', `${mine} or {row}."open"`, customerIsMine, invoices],
    ['of a part of an alternative, shouted', `${mine} OR {row}."open"`, customerIsMine, invoices],
    [
      'of a part of a range',
      '{row}."id" between 1 and 5 and {row}."id" between 2 and 9',
      '{row}."customer_id" between 1 and 9',
      invoices,
    ],
    [
      'where equal values may differ',
      '{row}."id"::text = \'1.0\'',
      '{row}."customer_id"::text = \'1.0\'',
      {
        ...invoices,
        pairs: [{ own: '"id"', other: '"customer_id"', ownType: 'numeric', otherType: 'numeric' }],
      },
    ],
    [
      'of texts that are asked for more than equality',
      '{row}."id" like \'a%\'',
      '{row}."customer_id" like \'a%\'',
      { ...invoices, pairs: [{ own: '"id"', other: '"customer_id"', ownType: 'text', otherType: 'text' }] },
    ],
    [
      'of texts that a collation finds equal',
      '{row}."id" = \'a\'',
      '{row}."customer_id" = \'a\'',
      {
        ...invoices,
        pairs: [{ own: '"id"', other: '"customer_id"', ownType: undefined, otherType: undefined }],
      },
    ],
    ['of the negation', `not ${customerIsMine}`, customerIsMine, lines],
    [
      'of one of the rows of a further table',
      customerIsMine.replace('"public"."customer"', '"public"."contact"'),
      customerIsMine,
      customer,
    ],
    [
      'where two facts speak of different rows',
      'exists (select 1 from "public"."tag" as "_r1" where "_r1"."of" = {row}."id" and "_r1"."a") and exists (select 1 from "public"."tag" as "_r1" where "_r1"."of" = {row}."id" and "_r1"."b")',
      'exists (select 1 from "public"."tag" as "_r1" where "_r1"."of" = {row}."customer_id" and "_r1"."a" and "_r1"."b")',
      invoices,
    ],
    ['of a comment', mine, `${customerIsMine} -- and so on`, invoices],
  ] as const)('%s', (_name, known, asked, join) => {
    expect(followsByJoin(known, asked, join)).toBe(false);
  });
});
