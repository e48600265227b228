/** What operators see of errors: never values of requests, and no mistake of a client displaces a fault. */
import { expect, test } from 'vitest';
import { createLastErrors } from '../../../../runtime/observe/logs/last-errors.ts';
import type { HttpRequestObservation, Observation } from '../../../../runtime/observe/logs/observe.ts';

const request = (code: string, status: number, url = '/v1/graphql?token=abc'): Observation =>
  ({
    kind: 'http-request',
    method: 'POST',
    url,
    status,
    query: { operationName: 'items', variables: { name: 'a value' } },
    error: { code, path: '$.selectionSet.item', error: 'invalid input: "a value"' },
  }) as unknown as HttpRequestObservation;

test('equal errors are one entry; values, queries of addresses and mistakes of clients are left out', () => {
  let time = 0;
  const errors = createLastErrors(() => new Date(time++ * 1000));
  errors.observe(request('postgres-error', 200));
  errors.observe(request('validation-failed', 200));
  errors.observe(request('postgres-error', 200));
  errors.observe(request('bad-request', 500, '/v1/metadata'));
  expect(errors.list()).toEqual([
    {
      kind: 'request',
      subject: 'POST /v1/metadata items',
      message: 'bad-request at $.selectionSet.item',
      count: 1,
      first: '1970-01-01T00:00:02.000Z',
      last: '1970-01-01T00:00:02.000Z',
    },
    {
      kind: 'request',
      subject: 'POST /v1/graphql items',
      message: 'postgres-error at $.selectionSet.item',
      count: 2,
      first: '1970-01-01T00:00:00.000Z',
      last: '1970-01-01T00:00:01.000Z',
    },
  ]);
});

test('operations over a WebSocket count as requests', () => {
  const errors = createLastErrors();
  const failed = (code: string): Observation => ({
    kind: 'websocket',
    websocketId: 'a',
    event: 'operation',
    error: { code, path: '$.selectionSet.item' },
  });
  errors.observe({ kind: 'websocket', websocketId: 'a', event: 'accepted' });
  errors.observe(failed('validation-failed'));
  errors.observe(failed('timeout'));
  expect(errors.list()).toMatchObject([
    { kind: 'request', subject: 'WebSocket', message: 'timeout at $.selectionSet.item' },
  ]);
});

test('calls count where the other side failed', () => {
  const errors = createLastErrors();
  const sizes = { requestSize: 0, responseSize: 0, seconds: 1 };
  const action = { kind: 'action', action: 'add_up', actionKind: 'synchronous', url: '', ...sizes } as const;
  errors.observe({ ...action, status: 200 });
  errors.observe({ ...action, status: 400 });
  expect(errors.list()).toEqual([]);
  errors.observe(action);
  errors.observe({ kind: 'remote-call', remote: 'countries', status: 503, seconds: 1 });
  expect(errors.list().map(({ subject, message }) => [subject, message])).toEqual([
    ['countries', 'answered with status 503'],
    ['add_up', 'no answer'],
  ]);
});

test('messages of databases are left out; the oldest of many entries leave', () => {
  const errors = createLastErrors();
  const refused = Object.assign(new Error('duplicate key: (a value)'), { code: '23505' });
  errors.observe({ kind: 'unhandled-internal-error', error: refused });
  expect(errors.list()[0]!.message).toBe('Error 23505');
  for (let number = 0; number < 60; number += 1)
    errors.observe({ kind: 'unstructured', level: 'error', message: `message ${number}` });
  expect(errors.list()).toHaveLength(50);
  expect(errors.list()[0]!.message).toBe('message 59');
  expect(errors.list().at(-1)!.message).toBe('message 10');
});
