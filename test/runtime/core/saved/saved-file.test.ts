/** Files of saved operations: what they say first and last is put together as it was taken apart. */
import { expect, test } from 'vitest';
import type { SavedOperation, SavedPlan } from '../../../../runtime/core/saved/saved.ts';
import {
  type DeclaredOperation,
  declaredOperation,
  indented,
  savedOperation,
} from '../../../../runtime/core/saved/saved-file.ts';

const NAMES = { collection: 'web', name: 'close' };
const value = { encoding: { as: 'value', type: 'int4' }, path: '$.id' } as const;
/** A name of a column may hold line breaks, with blanks after them or without. */
const ODD = 'select "a\n  b\nc\r\n\n d" as "x",\n  1\nfrom "public"."note"';

const write = (more: Partial<SavedPlan> = {}): SavedPlan => ({
  roles: ['user'],
  steps: [
    {
      source: 'default',
      statements: [
        { sql: ODD, path: '$.object', writes: ['public.note'], noRow: { message: 'no row', path: '$' } },
        { sql: 'select 1' },
      ],
      answer: [1],
      once: true,
    },
    { source: 'other', statements: [{ sql: 'select 2' }], answer: ['{}'] },
  ],
  answer: ['{"close":', { step: 0, column: 0 }, '}'],
  ...more,
});
const read: SavedPlan = {
  roles: ['user'],
  when: { id: 'null' },
  steps: [{ source: 'default', sql: ODD }],
  answer: ['{"note":', { step: 0, column: 0 }, '}'],
};

const OPERATIONS: Readonly<Record<string, SavedOperation>> = {
  'one plan': {
    ...NAMES,
    kind: 'mutation',
    document: 'm',
    values: { 'id::integer': value },
    plans: [write()],
  },
  'plans of which two need the same': {
    ...NAMES,
    kind: 'mutation',
    document: 'm',
    plans: [write(), write({ values: { 'id::bigint': value } }), write({ roles: ['admin'] })],
  },
  'a query': { ...NAMES, kind: 'query', document: 'q', plans: [read, { ...read, roles: ['admin'] }] },
  'a query that is cached': {
    ...NAMES,
    kind: 'query',
    document: 'q',
    plans: [
      { ...read, cached: { ttl: { from: 'document', seconds: 5 }, refresh: false } } as unknown as SavedPlan,
    ],
  },
  'a subscription': {
    ...NAMES,
    kind: 'subscription',
    document: 's',
    wakes: { user: ['public.note'] },
    plans: [
      {
        roles: ['user'],
        steps: [{ source: 'default', sql: ODD, once: true, reads: { tables: [{ table: 'public.note' }] } }],
        answer: [],
      },
    ],
  },
  'one that is planned for each request': { ...NAMES, kind: 'query', document: 'q', template: 'why' },
  'one that no role may run': { ...NAMES, kind: 'query', document: 'q' },
};

/** What a file holds: statements with the indentation of their place. */
function printed({ plans, ...rest }: DeclaredOperation, indent: string): DeclaredOperation {
  if (!plans) return rest;
  const steps = (all: NonNullable<DeclaredOperation['plans']>[number]['steps']) =>
    all.map((step) =>
      'sql' in step
        ? { ...step, sql: indented(step.sql, indent) }
        : { ...step, statements: step.statements.map((sql) => indented(sql, indent)) },
    );
  return { ...rest, plans: plans.map((plan) => ({ ...plan, steps: steps(plan.steps) })) };
}

test.each(Object.keys(OPERATIONS))(
  '%s is in its file what it was, however deep its statements stand',
  (name) => {
    const operation = OPERATIONS[name]!;
    for (const indent of ['', '          '])
      expect(savedOperation(printed(declaredOperation(operation), indent))).toStrictEqual(operation);
  },
);

test('what two plans need alike stands once', () => {
  const { execution } = declaredOperation(OPERATIONS['plans of which two need the same']!);
  expect(execution!.plans.map(({ of }) => of)).toEqual([[0, 2], [1]]);
  expect(declaredOperation(OPERATIONS['a query']!).execution!.plans).toEqual([{ answer: read.answer }]);
});

const DECLARED = declaredOperation(OPERATIONS['plans of which two need the same']!);
const [first, second] = DECLARED.execution!.plans;
const plans = [first!, second!];

test.each<[string, DeclaredOperation, string]>([
  [
    'of an earlier compiler',
    { ...DECLARED, execution: undefined } as unknown as DeclaredOperation,
    'the saved operation web.close is from another version of Engine: it has no `execution`. Compile again with this one',
  ],
  [
    'with a plan more',
    { ...DECLARED, plans: [...DECLARED.plans!, DECLARED.plans![0]!] },
    'the saved operation web.close: `execution` says nothing of plan 3',
  ],
  [
    'with a statement less',
    {
      ...DECLARED,
      plans: [
        { roles: ['user'], steps: [{ source: 'default', statements: [] }, DECLARED.plans![0]!.steps[1]!] },
      ],
      execution: { plans },
    },
    'the saved operation web.close, plan 0, step 0: statements are 0, and `execution` has 2',
  ],
  [
    'with a step less',
    {
      ...DECLARED,
      plans: [{ roles: ['user'], steps: [DECLARED.plans![0]!.steps[1]!] }],
      execution: { plans },
    },
    'the saved operation web.close, plan 0: steps are 1, and `execution` has 2',
  ],
  [
    'whose writes have no answer',
    { ...DECLARED, execution: { plans: [{ answer: first!.answer }] } },
    'the saved operation web.close, plan 0, step 0: `execution` has no answer',
  ],
])('a file %s is refused', (_, operation, message) => {
  expect(() => savedOperation(operation)).toThrow(new Error(message));
});
