/** Addresses are read as libpq reads them; `addresses.slow.test.ts` asks psql for the same ones. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ConnectionConfiguration, waysTo } from '../../../runtime/database/ways.ts';

const ways = (address: string, more: ConnectionConfiguration = {}) =>
  waysTo({ connectionString: address, ...more });
const client = (address: string) => ways(address)[0]!.client;
const places = (address: string) => ways(address).map(({ place }) => place);
/** `plain`, or who is believed: anybody, an owner of a certificate, or only the host itself. */
const encryption = (address: string, more: ConnectionConfiguration = {}) =>
  ways(address, more)[0]!.ssl.map((ssl) => {
    if (ssl === false) return 'plain';
    if (ssl.rejectUnauthorized !== true) return 'anybody';
    const nobody = { subject: { CN: 'other' }, subjectaltname: 'DNS:other' };
    return ssl.checkServerIdentity!('h', nobody as never) === undefined ? 'authority' : 'host';
  });

test.each([
  ['postgres://u:p@h/d', { user: 'u', password: 'p', host: 'h', port: 5432, database: 'd' }],
  ['postgresql://u@h:6000', { user: 'u', host: 'h', port: 6000, database: 'u' }],
  ['postgres://u:p%40%2F%3A%25@h/a%2Fb', { password: 'p@/:%', database: 'a/b' }],
  ['postgres://u:p#w?x@h/d', { password: 'p#w?x', host: 'h' }],
  ['postgres://u:a:b@h/d', { password: 'a:b' }],
  ['postgres://%2Fvar%2Frun/d', { host: '/var/run', database: 'd' }],
  ['postgres://[::1]:6000/d', { host: '::1', port: 6000 }],
  ['postgres:///d?host=h&port=6000&user=u&password=a%26b', { host: 'h', port: 6000, password: 'a&b' }],
  [
    '  host = h  port=6000 dbname=d user=u password=p ',
    { host: 'h', port: 6000, database: 'd', password: 'p' },
  ],
  ["host=h user='a b' password='it\\'s' dbname=a\\ b", { user: 'a b', password: "it's", database: 'a b' }],
  ["host=h user=u password='' dbname=d", { password: '' }],
  ['host=h hostaddr=127.0.0.1 user=u', { host: '127.0.0.1' }],
  [
    'postgres://u@h/d?options=-c%20a.b%3D1&application_name=x',
    { options: '-c a.b=1', application_name: 'x' },
  ],
  ['postgres://u@h/d?connect_timeout=3&keepalives=0', { connectionTimeoutMillis: 3000, keepAlive: false }],
  ['postgres://u@h/d?sslmode=require&sslnegotiation=direct', { sslnegotiation: 'direct' }],
])('%s', (address, expected) => {
  expect(client(address)).toMatchObject(expected);
});

test('hosts are tried in turn, each with its port', () => {
  expect(places('postgres://u@a,b:6000,[::1]/d')).toEqual(['a:5432', 'b:6000', '::1:5432']);
  expect(places('postgres://u@a,b/d?port=7000')).toEqual(['a:7000', 'b:7000']);
  expect(places('host=a,b port=1,2 user=u')).toEqual(['a:1', 'b:2']);
  expect(places('host=a,b hostaddr=127.0.0.1,127.0.0.2 user=u')).toEqual(['a:5432', 'b:5432']);
  expect(places('postgres://u@a,b/d?target_session_attrs=prefer-standby')).toEqual([
    'a:5432',
    'b:5432',
    'a:5432',
    'b:5432',
  ]);
  expect(places('host=/tmp user=u')).toEqual(['/tmp/.s.PGSQL.5432']);
});

test.each([
  ['postgres://u@h/d', ['anybody', 'plain']],
  ['postgres://u@h/d?sslmode=prefer', ['anybody', 'plain']],
  ['postgres://u@h/d?sslmode=allow', ['plain', 'anybody']],
  ['postgres://u@h/d?sslmode=disable', ['plain']],
  ['postgres://u@h/d?sslmode=require', ['anybody']],
  ['postgres://u@h/d?ssl=true', ['anybody']],
  ['postgres://u@h/d?sslmode=require&sslcompression=0&sslsni=1', ['anybody']],
  ['postgres://u@h/d?sslmode=require&ssl_min_protocol_version=TLSv1.3', ['anybody']],
  ['postgres://u@h/d?sslmode=require&sslrootcert=package.json', ['authority']],
  ['postgres://u@h/d?sslmode=verify-ca&sslrootcert=package.json', ['authority']],
  ['postgres://u@h/d?sslmode=verify-full&sslrootcert=package.json', ['host']],
  ['postgres://u@h/d?sslmode=verify-full', ['host']],
  ['postgres://u@h/d?sslrootcert=system', ['host']],
  ['postgres:///d?host=/tmp&user=u&sslmode=require', ['plain']],
])('%s is encrypted towards %j', (address, expected) => {
  expect(encryption(address)).toEqual(expected);
});

test('settings of the source win over the address', () => {
  expect(encryption('postgres://u@h/d?sslmode=disable', { encryption: { mode: 'prefer' } })).toEqual([
    'anybody',
    'plain',
  ]);
  expect(encryption('postgres://u@h/d?sslmode=require', { encryption: { mode: 'disable' } })).toEqual([
    'plain',
  ]);
  expect(encryption('postgres://u@h/d', { encryption: { mode: 'verify-full', ca: 'PEM' } })).toEqual([
    'host',
  ]);
});

test.each([
  ['', 'it is empty'],
  ['localhost', 'write postgres://'],
  ['http://u:hush@h/d', 'write postgres://'],
  ['mysql://u:hush@h/d', 'write postgres://'],
  ['postgres://u:hush@h:port/d', 'the port is no number'],
  ['postgres://u:hush@h:70000/d', 'the port is no number'],
  ['postgres://u:hu/sh@h/d', 'the port is no number'],
  ['postgres://u:hush@x@h/d', '@ as %40'],
  ['postgres://u:hu%sh@h/d', '"%" in the password'],
  ['postgres://u:hush%00@h/d', '%00'],
  ['postgres://u:hu sh@h/d', 'a blank in the password is written as %20'],
  ['postgres://u:hush@[::1/d', 'the host cannot be read'],
  ['postgres://u:hush@h,i:1,2:3,:/d?port=1,2', 'one for each host'],
  ['postgres://u:hush@h/d?sslMode=require', 'did you mean "sslmode"?'],
  ['postgres://u:hush@h/d?ssl_mode=require', 'did you mean "sslmode"?'],
  ['postgres://u:hush@h/d?sslmode=Require', 'sslmode is disable, allow'],
  ['postgres://u:hush@h/d?sslmode=', 'sslmode is disable, allow'],
  ['postgres://u:hush@h/d?ssl=require', 'say sslmode=require'],
  ['postgres://u:hush@h/d?schema=public', '"schema" is not an option'],
  ['postgres://u:hush@h/d?pgbouncer=true', '"pgbouncer" is not an option'],
  ['postgres://u:hush@h/d?x', 'has no "="'],
  ['postgres://u:hush@h/d?a=b=c', '%3D'],
  ['postgres://u:12/x?hush=y@h/d', 'a part of it is not an option'],
  ['host=h user=u password=hush sslMode=require', 'did you mean "sslmode"?'],
  ["host=h password='hush", 'what follows host=… cannot be read'],
  ['host=h password=my hush=x', 'a part of it is not an option'],
  ['host=h hush', 'what follows host=… cannot be read'],
  ['host=h user=u gssencmode=require', 'Kerberos'],
  ['host=h user=u requirepeer=postgres', 'require_auth'],
  ['host=h user=u service=x', 'services'],
  ['host=h user=u sslsni=0', 'always sent'],
  ['host=h user=u sslcrldir=/x', 'sslcrl'],
  ['host=h user=u client_encoding=LATIN1', 'UTF-8'],
  ['host=h user=u replication=database', 'replication'],
  ['host=h user=u target_session_attrs=master', 'target_session_attrs is any'],
  ['host=h user=u channel_binding=yes', 'channel_binding is disable'],
  ['host=h user=u require_auth=scram', 'require_auth is a list'],
  ['host=h user=u require_auth=md5,!password', 'all with "!"'],
  ['host=h user=u require_auth=md5,md5', 'twice'],
  ['host=h user=u sslrootcert=system sslmode=require', 'needs sslmode=verify-full'],
  ['host=h user=u sslmode=verify-ca', 'name the file by sslrootcert'],
  [
    'host=h user=u sslmode=verify-full sslrootcert=/nowhere/at/all',
    'the file of sslrootcert cannot be read: it does not exist (ENOENT)',
  ],
  ['host=h user=u sslnegotiation=direct', 'needs sslmode=require'],
  ['host=h user=u sslcertmode=require', 'name its file by sslcert'],
  ['host=h,i hostaddr=127.0.0.1 user=u', 'as many hosts'],
  ['host=h hostaddr=i user=u', 'hostaddr is an IP address'],
  ['host=h user=u connect_timeout=soon', 'connect_timeout is a whole number'],
])('%s is refused', (address, reason) => {
  expect(() => ways(address)).toThrow(reason);
  try {
    ways(address);
  } catch (error) {
    expect((error as { code: string }).code).toBe('invalid-configuration');
    expect((error as Error).message).not.toMatch(/hush|hu\b|sh@/);
  }
});

describe('the environment, as for every program of PostgreSQL', () => {
  afterEach(() => vi.unstubAllEnvs());

  test('says what the address does not', () => {
    vi.stubEnv('PGSSLMODE', 'verify-full');
    vi.stubEnv('PGUSER', 'somebody');
    expect(encryption('postgres://h/d')).toEqual(['host']);
    expect(client('postgres://h/d')).toMatchObject({ user: 'somebody' });
    expect(client('postgres://u@h/d?sslmode=disable')).toMatchObject({ user: 'u' });
  });

  test('is refused where it is wrong', () => {
    vi.stubEnv('PGSSLMODE', 'strict');
    expect(() => ways('postgres://h/d')).toThrow('the environment variable PGSSLMODE is disable, allow');
  });
});
