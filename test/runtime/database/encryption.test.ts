import pg from 'pg';
import { expect, test } from 'vitest';
import { connectionAttempts, isAboutEncryption } from '../../../runtime/database/encryption.ts';

const encrypted = { rejectUnauthorized: false };
const ways = (url: string, more = {}) =>
  connectionAttempts({ connectionString: url, ...more }).map(({ ssl }) => ssl);

test('an address says by sslmode what is tried, and in which order', () => {
  expect(ways('postgres://u@h/d')).toEqual([false, encrypted]);
  expect(ways('postgres://u@h/d?sslmode=allow')).toEqual([false, encrypted]);
  expect(ways('postgres://u@h/d?sslmode=prefer')).toEqual([encrypted, false]);
  expect(ways('postgres://u@h/d?sslmode=disable')).toEqual([false]);
  expect(ways('postgres://u@h/d?sslmode=require')).toEqual([encrypted]);
  expect(connectionAttempts({ connectionString: 'postgres://u:p%40@h/d?sslmode=require&x=1' })).toEqual([
    { connectionString: 'postgres://u:p%40@h/d?x=1', ssl: encrypted },
  ]);
});

test('who verifies is never weakened', () => {
  for (const url of [
    'postgres://u@h/d?sslmode=verify-full',
    'postgres://u@h/d?sslmode=verify-ca&sslrootcert=/x',
    'postgres://u@h/d?sslmode=require&sslrootcert=/x',
  ])
    expect(connectionAttempts({ connectionString: url })).toEqual([{ connectionString: url }]);
  const ssl = { ca: 'PEM', rejectUnauthorized: true };
  expect(connectionAttempts({ connectionString: 'postgres://u@h/d?sslmode=disable', ssl })).toEqual([
    { connectionString: 'postgres://u@h/d', ssl },
  ]);
});

test('settings of the source win over the address', () => {
  expect(ways('postgres://u@h/d?sslmode=disable', { encryption: 'prefer' })).toEqual([encrypted, false]);
  expect(ways('postgres://u@h/d?sslmode=require', { ssl: false })).toEqual([false]);
});

test('only what is about encryption is tried the other way', () => {
  const refused = Object.assign(new pg.DatabaseError('no pg_hba.conf entry', 1, 'error'), { code: '28000' });
  const wrong = Object.assign(new pg.DatabaseError('password', 1, 'error'), { code: '28P01' });
  expect(isAboutEncryption(refused)).toBe(true);
  expect(isAboutEncryption(wrong)).toBe(false);
  expect(isAboutEncryption(new Error('The server does not support SSL connections'))).toBe(true);
  expect(isAboutEncryption(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).toBe(false);
});
