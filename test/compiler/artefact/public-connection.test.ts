import { expect, test } from 'vitest';
import { publicConnection } from '../../../compiler/artefact/public-connection.ts';
import type { ConnectionInfo, DatabaseUrl } from '../../../runtime/metadata/metadata.ts';

const info = (database_url: DatabaseUrl): ConnectionInfo => ({
  database_url,
  isolation_level: 'read-committed',
});
const template = (text: string) => info({ kind: 'template', template: text });

test.each([
  info({ kind: 'environment', variable: 'DATABASE_URL' }),
  template('postgres://u:{{PASSWORD}}@{{HOST}}/x'),
  template('{{DATABASE_URL}}'),
  template('postgres://u@host:5432/x?sslmode=require'),
])('%j names what it needs', (connection) => {
  expect(publicConnection(connection)).toBe(connection);
});

test.each([
  template('postgres://u:s3cret@host/x'),
  template('postgres://u:{{A}}s3cret@host/x'),
  template('postgres://host/x?user=u&password=s3cret'),
  template('host=h password = s3cret'),
  info({ kind: 'file', file: '/run/secrets/address' }),
  info({
    kind: 'parameters',
    parameters: { host: 'h', port: 1, username: 'u', database: 'd', password: 's3cret' },
  }),
])('%j does not go into an artefact', (connection) => {
  expect(publicConnection(connection)).toBeUndefined();
});
