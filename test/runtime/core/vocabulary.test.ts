/** The word in names: what is translated, and what is left alone. */
import { expect, test } from 'vitest';
import { captureSetting, Vocabulary } from '../../../runtime/core/vocabulary.ts';

const acme = new Vocabulary('acme');
const engine = new Vocabulary('engine');

test.each([
  ['x-acme-user-id', 'x-engine-user-id'],
  ['X-ACME-User-Id', 'x-engine-user-id'],
  ['x-engine-user-id', undefined],
  ['x-acmes-user-id', undefined],
  ['an x-acme-user-id', undefined],
  ['x-acme', undefined],
])('%s is the canonical %s', (written, canonical) => {
  expect(acme.toCanonical(written)).toBe(canonical);
});

test('out and in again; in the canonical vocabulary nothing is copied', () => {
  const variables = { 'x-engine-role': 'user', 'x-engine-engine-id': 'x-engine-role' };
  const outside = acme.session(variables);
  expect(outside).toEqual({ 'x-acme-role': 'user', 'x-acme-engine-id': 'x-engine-role' });
  expect(Object.keys(outside).map((name) => acme.toCanonical(name))).toEqual(Object.keys(variables));
  expect(engine.session(variables)).toBe(variables);
});

test('names of the canonical vocabulary are foreign in another one; programs that know no hyphens read more headers so', () => {
  expect(['X-Engine-User-Id', 'x_engine_user_id', 'x-engine'].map((name) => acme.isForeign(name))).toEqual([
    true,
    false,
    false,
  ]);
  expect(acme.isReadAsForeign('X_Engine-role')).toBe(true);
  expect(engine.isReadAsForeign('x-engine-role')).toBe(false);
});

test('the SQL of captures changes where it reads the setting, and in no literal', () => {
  const literal = `'pg_catalog.current_setting(''engine.user'', true)'`;
  const sql = `select ${literal}, nullif(${captureSetting('user')}, ''), "engine.user"`;
  expect(acme.capture(sql)).toBe(
    `select ${literal}, nullif(pg_catalog.current_setting('acme.user', true), ''), "engine.user"`,
  );
  expect(engine.capture(sql)).toBe(sql);
});

test.each([
  'Acme',
  'a',
  '1st',
  'a-b',
  'a.b',
  "a'b",
  '',
  'forwarded',
  'request',
  'pgcrypto',
  'plpgsql',
  'a'.repeat(32),
])('%s is no word', (word) => {
  expect(() => new Vocabulary(word)).toThrow();
});
