/**
 * Real servers with TLS, a certificate authority and every method of authentication: each address connects, or is refused, as the
 * table says. Where `psql` is installed it is asked for the same addresses, so the table says what libpq does.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { DatabaseClient } from '../../../runtime/database/client.ts';
import { addressVariables } from '../../../runtime/metadata-api/dump/pg-dump.ts';

const folder = mkdtempSync(join(tmpdir(), 'engine-addresses-'));
const [authority, stranger] = ['authority', 'stranger'].map((name) => createAuthority(name));
const certificate = createCertificate('localhost', authority!);
/** With TLS, without it, and one that is read-only. */
let secure: EmbeddedPostgres;
let plain: EmbeddedPostgres;

const RULES = `
hostssl all certified all cert
hostnossl all open_only all scram-sha-256
hostssl all closed_only all scram-sha-256
host all certified,open_only,closed_only all reject
host all scram all scram-sha-256
host all hashed all md5
host all clear all password
host all nobody all trust
host all reader all trust
`;

beforeAll(async () => {
  [secure, plain] = await Promise.all([startEmbeddedPostgres(), startEmbeddedPostgres()]);
  const client = new pg.Client({ connectionString: secure.url });
  await client.connect();
  const { rows } = await client.query<{ hba: string }>("select current_setting('hba_file') as hba");
  for (const role of ['certified', 'open_only', 'closed_only', 'scram', 'clear', 'nobody', 'reader'])
    await client.query(`create role ${role} login password 'p@/:%# w'`);
  await client.query("set password_encryption = md5; create role hashed login password 'p@/:%# w'");
  await client.query('alter role reader set default_transaction_read_only = on');
  const files = {
    'server.crt': certificate.text,
    'server.key': certificate.keyText,
    'authority.crt': authority!.text,
    [rows[0]!.hba]: `${RULES}\n${await hbaOf(client)}`,
  };
  for (const [name, text] of Object.entries(files)) await writeServerFile(client, name, text);
  await client.query("alter system set ssl_ca_file = 'authority.crt'");
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await client.end();
});

afterAll(async () => {
  await Promise.all([secure.stop(), plain.stop()]);
  rmSync(folder, { recursive: true });
});

async function hbaOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ text: string }>(
    "select pg_read_file(current_setting('hba_file')) as text",
  );
  return rows[0]!.text;
}

/** Written by the server, whose files they must be. */
async function writeServerFile(client: pg.Client, name: string, text: string): Promise<void> {
  const lines = pg.escapeLiteral(text);
  await client.query(
    `copy (select unnest(string_to_array(${lines}, e'\\n'))) to program 'umask 077; cat > ${name}'`,
  );
}

interface Certificate {
  readonly file: string;
  readonly key: string;
  readonly text: string;
  readonly keyText: string;
}

function openssl(...options: string[]): void {
  execFileSync('openssl', options, { stdio: 'ignore', cwd: folder });
}

function certificateOf(name: string): Certificate {
  const [file, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  return { file, key, text: readFileSync(file, 'utf8'), keyText: readFileSync(key, 'utf8') };
}

function createAuthority(name: string): Certificate {
  const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`];
  openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', `/CN=${name}`, ...files);
  return certificateOf(name);
}

function createCertificate(name: string, by: Certificate): Certificate {
  writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${name}`);
  openssl(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    `${name}.key`,
    '-out',
    'request',
  );
  const signed = ['-CA', by.file, '-CAkey', by.key, '-CAcreateserial', '-out', `${name}.crt`];
  openssl('x509', '-req', '-in', 'request', '-days', '1', '-extfile', 'names', ...signed);
  return certificateOf(name);
}

const client = createCertificate('certified', authority!);
const PASSWORD = 'p%40%2F%3A%25%23%20w';

/** `H`: the secure server on localhost; `I`: by its IP address; `P`: the one without TLS; `X`: nobody listens. */
const filled = (address: string) =>
  address
    .replaceAll('<H>', `localhost:${secure.port}`)
    .replaceAll('<I>', `127.0.0.1:${secure.port}`)
    .replaceAll('<P>', `localhost:${plain.port}`)
    .replaceAll('<X>', 'localhost:1')
    .replaceAll('<port>', String(secure.port))
    .replaceAll('<plain port>', String(plain.port))
    .replaceAll('<PW>', PASSWORD)
    .replaceAll('<SU>', new URL(plain.url).password)
    .replaceAll('<su>', new URL(plain.url).username)
    .replaceAll('<CA>', authority!.file)
    .replaceAll('<other CA>', stranger!.file)
    .replaceAll('<cert>', `sslcert=${client.file}&sslkey=${client.key}`);

type Outcome = 'tls' | 'plain' | 'refused';

/** The last column: the first major version of libpq that has the option. */
const TABLE: readonly (readonly [address: string, outcome: Outcome, since?: number])[] = [
  // Forms.
  ['postgres://scram:<PW>@<H>/postgres', 'tls'],
  ['postgresql://scram:<PW>@<H>/postgres', 'tls'],
  ['postgres://scram:p%40%2F%3A%25#%20w@<H>/postgres', 'tls'],
  ['postgres://scram:wrong@<H>/postgres', 'refused'],
  ['postgres://scram@<H>/postgres', 'refused'],
  ['postgres://scram:<PW>@<H>/nowhere', 'refused'],
  ['postgres:///postgres?host=localhost&port=<port>&user=scram&password=<PW>', 'tls'],
  ["host=localhost port=<port> user=scram dbname=postgres password='p@/:%# w'", 'tls'],
  ['host=localhost port=<port> user=scram dbname=postgres password=p@/:%#\\ w', 'tls'],
  ['host=localhost port=<port> user=scram dbname=postgres password=p@/:%# w', 'refused'],
  ['host=nowhere.invalid hostaddr=127.0.0.1 port=<port> user=nobody dbname=postgres', 'tls'],
  ['postgres://nobody@<H>/postgres?application_name=x&options=-c%20work_mem%3D1MB', 'tls'],
  ['postgres://nobody@<H>/postgres?connect_timeout=5&keepalives=1&keepalives_idle=60', 'tls'],
  ['postgres://nobody@<H>/postgres?schema=public', 'refused'],
  ['postgres://nobody@<H>/postgres?client_encoding=UTF8', 'tls'],
  ['Postgres://nobody@<H>/postgres', 'refused'],
  // Several hosts.
  ['postgres://nobody@<X>,<H>/postgres', 'tls'],
  ['postgres://nobody@<X>,<X>/postgres', 'refused'],
  ['host=localhost,localhost port=1,<port> user=nobody dbname=postgres', 'tls'],
  ['host=localhost,localhost,localhost port=1,<port> user=nobody dbname=postgres', 'refused'],
  ['postgres://scram:wrong@<H>,<P>/postgres', 'refused'],
  ['postgres://nobody@<H>/postgres?target_session_attrs=read-write', 'tls'],
  ['postgres://reader@<H>/postgres?target_session_attrs=read-write', 'refused'],
  ['postgres://reader@<H>/postgres?target_session_attrs=read-only', 'tls'],
  ['postgres://nobody@<H>/postgres?target_session_attrs=primary', 'tls'],
  ['postgres://nobody@<H>/postgres?target_session_attrs=standby', 'refused'],
  ['postgres://nobody@<H>/postgres?target_session_attrs=prefer-standby', 'tls'],
  ['postgres://nobody@<H>/postgres?target_session_attrs=master', 'refused'],
  ['postgres://nobody@<X>,<H>/postgres?load_balance_hosts=random', 'tls', 16],
  // Encryption.
  ['postgres://nobody@<H>/postgres?sslmode=disable', 'plain'],
  ['postgres://nobody@<H>/postgres?sslmode=allow', 'plain'],
  ['postgres://nobody@<H>/postgres?sslmode=prefer', 'tls'],
  ['postgres://nobody@<H>/postgres?sslmode=require', 'tls'],
  ['postgres://nobody@<H>/postgres?ssl=true', 'tls'],
  ['postgres://nobody@<H>/postgres?ssl=require', 'refused'],
  ['postgres://nobody@<H>/postgres?sslMode=require', 'refused'],
  ['postgres://nobody@<H>/postgres?ssl_mode=require', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=no-verify', 'refused'],
  ['postgres://open_only:<PW>@<H>/postgres', 'plain'],
  ['postgres://open_only:<PW>@<H>/postgres?sslmode=require', 'refused'],
  ['postgres://closed_only:<PW>@<H>/postgres?sslmode=allow', 'tls'],
  ['postgres://closed_only:<PW>@<H>/postgres?sslmode=disable', 'refused'],
  ['postgres://<su>:<SU>@<P>/postgres', 'plain'],
  ['postgres://<su>:<SU>@<P>/postgres?sslmode=require', 'refused'],
  ['postgres://<su>:<SU>@<P>/postgres?sslmode=verify-full&sslrootcert=<CA>', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=verify-ca', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=verify-ca&sslrootcert=<CA>', 'tls'],
  ['postgres://nobody@<I>/postgres?sslmode=verify-ca&sslrootcert=<CA>', 'tls'],
  ['postgres://nobody@<H>/postgres?sslmode=verify-ca&sslrootcert=<other CA>', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=verify-full&sslrootcert=<CA>', 'tls'],
  ['postgres://nobody@<I>/postgres?sslmode=verify-full&sslrootcert=<CA>', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=verify-full&sslrootcert=<CA>&hostaddr=127.0.0.1', 'tls'],
  ['postgres://nobody@<H>/postgres?sslmode=verify-full', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=require&sslrootcert=<other CA>', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=require&sslrootcert=<CA>', 'tls'],
  ['postgres://nobody@<H>/postgres?sslmode=prefer&sslrootcert=<other CA>', 'plain'],
  ['postgres://nobody@<H>/postgres?sslrootcert=system', 'refused', 16],
  ['postgres://nobody@<H>/postgres?sslrootcert=system&sslmode=require', 'refused', 16],
  ['postgres://nobody@<H>/postgres?sslmode=require&ssl_min_protocol_version=TLSv1.3', 'tls'],
  ['postgres://nobody@<H>/postgres?sslmode=require&ssl_max_protocol_version=TLSv1.1', 'refused'],
  ['postgres://nobody@<H>/postgres?sslmode=require&sslcompression=0', 'tls'],
  ['postgres://nobody@<H>/postgres?sslmode=require&sslsni=1', 'tls'],
  ['postgres://certified@<H>/postgres?sslmode=require&<cert>', 'tls'],
  ['postgres://certified@<H>/postgres?sslmode=require', 'refused'],
  ['postgres://nobody@<H>/postgres?sslnegotiation=direct&sslmode=require', 'tls', 17],
  ['postgres://nobody@<H>/postgres?sslnegotiation=direct', 'refused', 17],
  ['postgres://nobody@<H>/postgres?gssencmode=disable', 'tls'],
  // What the server has to ask for.
  ['postgres://scram:<PW>@<H>/postgres?channel_binding=require', 'tls'],
  ['postgres://scram:<PW>@<H>/postgres?channel_binding=disable', 'tls'],
  ['postgres://scram:<PW>@<H>/postgres?channel_binding=require&sslmode=disable', 'refused'],
  ['postgres://hashed:<PW>@<H>/postgres', 'tls'],
  ['postgres://hashed:<PW>@<H>/postgres?channel_binding=require', 'refused'],
  ['postgres://clear:<PW>@<H>/postgres', 'tls'],
  ['postgres://clear:<PW>@<H>/postgres?channel_binding=require', 'refused'],
  ['postgres://nobody@<H>/postgres?channel_binding=require', 'refused'],
  ['postgres://scram:<PW>@<H>/postgres?require_auth=scram-sha-256', 'tls', 16],
  ['postgres://hashed:<PW>@<H>/postgres?require_auth=scram-sha-256', 'refused', 16],
  ['postgres://clear:<PW>@<H>/postgres?require_auth=!password', 'refused', 16],
  ['postgres://clear:<PW>@<H>/postgres?require_auth=password,md5', 'tls', 16],
  ['postgres://nobody@<H>/postgres?require_auth=scram-sha-256', 'refused', 16],
  ['postgres://nobody@<H>/postgres?require_auth=none', 'tls', 16],
  ['postgres://nobody@<H>/postgres?require_auth=!none', 'refused', 16],
];

const QUERY = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';

async function ours(address: string): Promise<Outcome> {
  const connecting = new DatabaseClient({ connectionString: address });
  try {
    await connecting.connect();
    const { rows } = await connecting.query<{ ssl: boolean }>(QUERY);
    return rows[0]!.ssl ? 'tls' : 'plain';
  } catch (error) {
    expect(String((error as Error).message)).not.toContain('p@/:');
    return 'refused';
  } finally {
    await connecting.end();
  }
}

function libpq(address: string): Promise<Outcome> {
  return psql(['-d', address], {});
}

/** With the variables that `pg_dump` is given. */
async function dumping(address: string): Promise<Outcome> {
  const files = mkdtempSync(join(folder, 'dump-'));
  return psql([], await addressVariables({ connectionString: address }, files));
}

async function psql(place: readonly string[], variables: NodeJS.ProcessEnv): Promise<Outcome> {
  const env = { PATH: process.env.PATH, HOME: folder, PGCONNECT_TIMEOUT: '10', ...variables };
  try {
    const { stdout } = await promisify(execFile)('psql', ['-XwAt', ...place, '-c', QUERY], { env });
    return stdout.trim() === 't' ? 'tls' : 'plain';
  } catch {
    return 'refused';
  }
}

test.each(TABLE.map(([address, outcome]) => [address, outcome] as const))(
  '%s: %s',
  async (address, outcome) => {
    expect(await ours(filled(address))).toBe(outcome);
  },
);

test('the authorities of the machine are those of OpenSSL', async () => {
  const address = filled('postgres://nobody@<H>/postgres?sslrootcert=system');
  process.env.SSL_CERT_FILE = authority!.file;
  try {
    expect(await ours(address)).toBe('tls');
    expect(await ours(address.replace('localhost', '127.0.0.1'))).toBe('refused');
  } finally {
    delete process.env.SSL_CERT_FILE;
  }
});

const version = Number(
  /\b(\d+)\./.exec(spawnSync('psql', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1],
);

describe.skipIf(!(version > 0))('psql', () => {
  const known = TABLE.filter(([, , since = 0]) => since <= version);
  test.each(known.map(([address, outcome]) => [address, outcome] as const))(
    '%s: %s',
    async (address, outcome) => {
      expect(await libpq(filled(address))).toBe(outcome);
    },
  );

  test.each(known.map(([address, outcome]) => [address, outcome] as const))(
    'as pg_dump, %s: %s',
    async (address, outcome) => {
      const connecting = dumping(filled(address)).catch(() => 'refused');
      expect(await connecting).toBe(outcome);
    },
  );
});
