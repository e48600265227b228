import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import {
  adminSecrets,
  optionVariable,
  readConfiguration,
} from '../../runtime/configuration/configuration.ts';
import { withFileVariables } from '../../runtime/configuration/environment-files.ts';
import { optionsIn } from '../../runtime/configuration/options.ts';
import { configurationPage } from '../../runtime/configuration/page.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';

describe('values', () => {
  test('come from the command line, then the environment, then the default', () => {
    const environment = { ENGINE_GRAPHQL_SERVER_PORT: '9000', ENGINE_GRAPHQL_LOG_LEVEL: 'warn' };
    const configuration = readConfiguration({ serverPort: '9001' }, environment);
    expect(configuration).toMatchObject({ serverPort: 9001, logLevel: 'warn', connections: 50 });
  });

  test('have the variables of the reference', () => {
    expect(optionVariable('serverPort', CANONICAL)).toBe('ENGINE_GRAPHQL_SERVER_PORT');
    expect(optionVariable('connections', CANONICAL)).toBe('ENGINE_GRAPHQL_PG_CONNECTIONS');
    expect(optionVariable('preserve401Errors', CANONICAL)).toBe('ENGINE_GRAPHQL_PRESERVE_401_ERRORS');
    expect(optionVariable('enabledApis', CANONICAL)).toBe('ENGINE_GRAPHQL_ENABLED_APIS');
    expect(optionVariable('v1BooleanNullCollapse', CANONICAL)).toBe(
      'ENGINE_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE',
    );
    const keys = Object.keys(optionsIn(CANONICAL));
    expect(new Set(keys.map((key) => optionVariable(key, CANONICAL))).size).toBe(keys.length);
  });

  test.each(['true', 'T', 'yes', 'Y'])('%s is true', (value) => {
    expect(readConfiguration({}, { ENGINE_GRAPHQL_DEV_MODE: value }).devMode).toBe(true);
  });

  test.each(['false', 'F', 'no', 'N'])('%s is false', (value) => {
    expect(readConfiguration({}, { ENGINE_GRAPHQL_ENABLE_RELAY: value }).enableRelay).toBe(false);
  });

  test('a flag alone is true, a list is split', () => {
    const configuration = readConfiguration(
      { devMode: true, corsDomain: 'https://a.com, https://b.com' },
      {},
    );
    expect(configuration.devMode).toBe(true);
    expect(configuration.corsDomain).toEqual(['https://a.com', 'https://b.com']);
  });

  test('an admin secret of another word stops the start where there is no own one, which would leave the server open', () => {
    const other = { ACME_GRAPHQL_ADMIN_SECRET: 'hidden' };
    expect(() => readConfiguration({}, other)).toThrow(
      'Environment variable ACME_GRAPHQL_ADMIN_SECRET is not read in the vocabulary "engine", and there is no admin secret; give --vocabulary acme, or set ENGINE_GRAPHQL_ADMIN_SECRET',
    );
    expect(() => readConfiguration({}, { ACME_GRAPHQL_ACCESS_KEY_FILE: '/secret' })).toThrow(
      '--vocabulary acme',
    );
    expect(readConfiguration({ adminSecret: 'own' }, other).adminSecret).toBe('own');
    expect(readConfiguration({}, { ACME_GRAPHQL_ADMIN_SECRET: '' }).adminSecret).toBeUndefined();
    expect(readConfiguration({}, { HTTP_GRAPHQL_ADMIN_SECRET: 'x' }).adminSecret).toBeUndefined();
  });

  test('of an empty secret count as none', () => {
    expect(adminSecrets(readConfiguration({}, { ENGINE_GRAPHQL_ADMIN_SECRET: '' }))).toEqual([]);
    expect(adminSecrets(readConfiguration({}, { ENGINE_GRAPHQL_ACCESS_KEY: 'old' }))).toEqual(['old']);
  });
});

const jwt = (more: object) => JSON.stringify({ type: 'HS256', key: 'k'.repeat(32), ...more });

describe('refused', () => {
  test.each([
    [
      'SERVER_PORT',
      'many',
      'Environment variable ENGINE_GRAPHQL_SERVER_PORT: expected a whole number, got "many"',
    ],
    ['SERVER_PORT', '70000', 'expected a whole number of at most 65535, got 70000'],
    ['DEV_MODE', 'perhaps', 'Environment variable ENGINE_GRAPHQL_DEV_MODE: not a valid boolean text'],
    [
      'ENABLED_APIS',
      'graphql,unknown',
      'expected one of metadata, graphql, pgdump, config, developer, metrics, got "unknown"',
    ],
    ['WEBSOCKET_KEEPALIVE', '3000000', 'expected a whole number of at most 2147483, got 3000000'],
    ['LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL', '3000000000', 'at most 2147483647, got 3000000000'],
    ['SCHEMA_SYNC_POLL_INTERVAL', '99999999999', 'at most 2147483647'],
    ['GRACEFUL_SHUTDOWN_TIMEOUT', '2147484', 'at most 2147483'],
    ['SHUTDOWN_DELAY', '2147483.5', 'expected at most 2147483 seconds, got 2147483.5'],
    ['PG_POOL_TIMEOUT', '1e3', 'expected a number of seconds, got "1e3"'],
    ['AUTH_HOOK_TIMEOUT', '0', 'ENGINE_GRAPHQL_AUTH_HOOK_TIMEOUT: expected more than 0 seconds'],
    ['ASYNC_ACTIONS_RETENTION', '99999999', 'at most 24855'],
    ['MAX_TOTAL_HEADER_LENGTH', '4294967296', 'at most 2147483647'],
    ['ADMIN_SECRET', ' secret', 'expected no white space at the ends'],
    ['ACCESS_KEY', 'secret\t', 'expected no white space at the ends'],
    ['METRICS_SECRET', 'two\nlines', 'it has the control character U+000A at position 4'],
    ['ADMIN_SECRETS', '["good", "bad "]', 'ADMIN_SECRETS: expected no white space at the ends'],
    [
      'JWT_SECRET',
      jwt({ header: { type: 'Cookie', nmae: 'x' } }),
      'header: unknown key "nmae"; known: type, name',
    ],
    [
      'JWT_SECRET',
      jwt({ header: { type: 'CustomHeader', name: 'a b' } }),
      'header.name: the header "a b" cannot be sent',
    ],
    [
      'JWT_SECRET',
      jwt({ claims_map: { 'x-engine-default-role': { path: '$.r', defualt: 'user' } } }),
      'claims_map: x-engine-default-role: unknown key "defualt"; known: path, default',
    ],
    ['UNAUTHORIZED_ROLE', 'guest', 'unauthorized-role needs an admin-secret'],
    [
      'JWT_SECRET',
      JSON.stringify({ type: 'HS256', key: 'k'.repeat(32) }),
      'jwt-secret needs an admin-secret',
    ],
    ['AUTH_HOOK', 'http://localhost', 'auth-hook needs an admin-secret'],
  ])('%s=%s', (name, value, message) => {
    expect(() => readConfiguration({}, { [`ENGINE_GRAPHQL_${name}`]: value })).toThrow(message);
  });

  test('secrets of the wrong shape, without showing them', () => {
    for (const value of ['my-secret', '["my-secret", 1]', '[]']) {
      let message = '';
      try {
        readConfiguration({}, { ENGINE_GRAPHQL_ADMIN_SECRETS: value });
      } catch (error) {
        message = (error as Error).message;
      }
      expect(message).toContain('ENGINE_GRAPHQL_ADMIN_SECRETS');
      expect(message).not.toContain('my-secret');
    }
  });
});

describe('files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'engine-configuration-'));
  const file = join(folder, 'secret');
  writeFileSync(file, 'from a file\n');
  afterAll(() => rmSync(folder, { recursive: true }));

  test('hold the value of an option, without the line break at their end', () => {
    const environment = withFileVariables(
      { ENGINE_GRAPHQL_ADMIN_SECRET_FILE: file, OTHER_FILE: '/nowhere' },
      CANONICAL,
    );
    expect(readConfiguration({}, environment).adminSecret).toBe('from a file');
  });

  test('that cannot be read, or stand beside the variable itself, stop the start', () => {
    expect(() =>
      withFileVariables({ ENGINE_GRAPHQL_ADMIN_SECRET_FILE: `${file}-missing` }, CANONICAL),
    ).toThrow(/ADMIN_SECRET_FILE: cannot read the file .*ENOENT/);
    const both = { ENGINE_GRAPHQL_ADMIN_SECRET_FILE: file, ENGINE_GRAPHQL_ADMIN_SECRET: 'direct' };
    expect(() => withFileVariables(both, CANONICAL)).toThrow(
      'Environment variables ENGINE_GRAPHQL_ADMIN_SECRET and ENGINE_GRAPHQL_ADMIN_SECRET_FILE exclude each other',
    );
  });
});

/** After a change of the options: `npx vitest run test/runtime/configuration.test.ts -u`. */
test('docs/configuration.md is the table of options', async () => {
  await expect(configurationPage()).toMatchFileSnapshot(
    fileURLToPath(new URL('../../docs/configuration.md', import.meta.url)),
  );
});
