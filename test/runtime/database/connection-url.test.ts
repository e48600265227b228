import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { connectionUrl } from '../../../runtime/database/connection-url.ts';

const environment = {
  SHOP_URL: 'postgres://shop',
  HOST: 'db.example.com',
  SECRET: 'hush',
  CERTIFICATE: 'PEM',
};

test('of a text, with environment variables in it', () => {
  const template = (text: string) =>
    connectionUrl({ kind: 'template', template: text }, undefined, { environment, vocabulary: CANONICAL });
  expect(template('postgres://plain')()).toEqual({ connectionString: 'postgres://plain' });
  expect(template('postgres://u:{{SECRET}}@{{ HOST }}/d')()).toEqual({
    connectionString: 'postgres://u:hush@db.example.com/d',
  });
  expect(() => template('postgres://{{A}}:{{SECRET}}@{{B}}')).toThrow(
    /^Value for environment variables not found: A, B$/,
  );
});

test('of an environment variable', () => {
  const named = (variable: string) =>
    connectionUrl({ kind: 'environment', variable }, undefined, { environment, vocabulary: CANONICAL });
  expect(named('SHOP_URL')()).toEqual({ connectionString: 'postgres://shop' });
  expect(() => named('MISSING')).toThrow("environment variable 'MISSING' not set");
});

test('of parameters', () => {
  const parameters = { host: 'h', port: 5433, username: 'u', database: 'd', password: 'p:@/' };
  expect(
    connectionUrl({ kind: 'parameters', parameters }, undefined, { environment, vocabulary: CANONICAL })(),
  ).toEqual({
    host: 'h',
    port: 5433,
    user: 'u',
    database: 'd',
    password: 'p:@/',
  });
});

test('of a file, read before each connect, below the allowed folder only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-secrets-'));
  const allowedFolder = join(folder, 'allowed');
  mkdirSync(allowedFolder);
  const inside = join(allowedFolder, 'url');
  const outside = join(folder, 'url');
  writeFileSync(inside, 'postgres://one\n');
  writeFileSync(outside, 'postgres://outside');
  const address = connectionUrl({ kind: 'file', file: inside }, undefined, {
    environment,
    vocabulary: CANONICAL,
    allowedFolder,
  });
  expect(address()).toEqual({ connectionString: 'postgres://one' });
  writeFileSync(inside, 'postgres://two');
  expect(address()).toEqual({ connectionString: 'postgres://two' });

  const link = join(allowedFolder, 'link');
  symlinkSync(outside, link);
  for (const file of [outside, link, join(allowedFolder, '..', 'url')]) {
    const refused = connectionUrl({ kind: 'file', file }, undefined, {
      environment,
      vocabulary: CANONICAL,
      allowedFolder,
    });
    expect(refused).toThrow('is not below the folder');
  }
  expect(
    connectionUrl({ kind: 'file', file: inside }, undefined, { environment, vocabulary: CANONICAL }),
  ).toThrow('is not below the folder');
});

test('encryption as the source asks for it', () => {
  const encryption = connectionUrl(
    { kind: 'template', template: 'postgres://x' },
    { sslmode: 'verify-ca', sslrootcert: { from_env: 'CERTIFICATE' } },
    { environment, vocabulary: CANONICAL },
  )().encryption;
  expect(encryption).toEqual({ mode: 'verify-ca', ca: 'PEM' });
});
