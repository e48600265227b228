/** The ways to a database: hosts in turn, and each of them encrypted and in plain text as its options say, like libpq. */

import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, checkServerIdentity, type SecureVersion } from 'node:tls';
import type pg from 'pg';
import { fileProblem } from '../core/reasons.ts';
import { type AddressOptions, readAddress } from './address.ts';
import { OPTIONS, readOption, wrongAddress } from './address-options.ts';
import { type Authentication, readAuthentication } from './authentication.ts';

type SslMode = 'disable' | 'allow' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';

/** How a source's settings have connections encrypted; they win over what its address says. Certificates are PEM texts. */
export interface Encryption {
  readonly mode: SslMode;
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly passphrase?: string | undefined;
}

/** How to reach a database: a connection string, or its parts. Files that it names are read for every connection. */
export interface ConnectionConfiguration {
  readonly connectionString?: string | undefined;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly encryption?: Encryption | undefined;
}

export type SessionKind = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby';

/** A host to try: what `pg` is given, and what has to be so once it is connected. */
export interface Way {
  readonly client: pg.ClientConfig;
  /** What `pg` is given as `ssl`, in the order in which it is tried. */
  readonly ssl: readonly (false | ConnectionOptions)[];
  /** Host and port, as messages name them. */
  readonly place: string;
  readonly session: SessionKind;
  readonly authentication: Authentication;
}

/**
 * The ways to try in turn, at least one.
 * @throws EngineError invalid-configuration for an address that can never be right, or a file that cannot be read
 */
export function waysTo(configuration: ConnectionConfiguration): readonly Way[] {
  const options = optionsOf(configuration);
  const encryption = encryptionOf(configuration, options);
  const authentication = readAuthentication(options);
  const hosts = hostsOf(options);
  if (options.get('load_balance_hosts') === 'random') shuffle(hosts);
  const wanted = options.get('target_session_attrs') ?? 'any';
  const rounds = wanted === 'prefer-standby' ? (['standby', 'any'] as const) : [wanted as SessionKind];
  const shared = sharedSettings(options);
  return rounds.flatMap((session) =>
    hosts.map((host) => ({
      client: { ...shared, host: host.address, port: host.port },
      ssl: tlsAttempts(host, encryption, options),
      place: host.name.startsWith('/') ? `${host.name}/.s.PGSQL.${host.port}` : `${host.name}:${host.port}`,
      session,
      authentication,
    })),
  );
}

/** The options of the address, and of the environment those that it does not have. */
export function optionsOf(configuration: ConnectionConfiguration): AddressOptions {
  const { connectionString, host, port, user, password, database } = configuration;
  const options = new Map(connectionString === undefined ? [] : readAddress(connectionString));
  const parts = { host, port, user, password, dbname: database };
  for (const [key, value] of Object.entries(parts)) if (value !== undefined) options.set(key, String(value));
  for (const [key, { variable }] of Object.entries(OPTIONS)) {
    const value = variable === undefined ? undefined : process.env[variable];
    if (value !== undefined && value !== '' && !options.has(key))
      options.set(key, readOption(key, value, `the environment variable ${variable}`));
  }
  return options;
}

interface Host {
  /** As the address names it, and as its certificate does. */
  readonly name: string;
  /** Where to connect. */
  readonly address: string;
  readonly port: number;
}

function hostsOf(options: AddressOptions): Host[] {
  const list = (key: string) => options.get(key)?.split(',') ?? [];
  const [names, addresses, ports] = [list('host'), list('hostaddr'), list('port')];
  const count = Math.max(names.length, addresses.length, 1);
  if (names.length > 0 && addresses.length > 0 && names.length !== addresses.length)
    throw wrongAddress('it has not as many hosts as hostaddr');
  if (ports.length > 1 && ports.length !== count)
    throw wrongAddress('give one port for all hosts, or one for each host');
  return Array.from({ length: count }, (_, index) => {
    const port = portOf(ports[index] ?? ports[0] ?? '');
    const address = addresses[index]?.trim() ?? '';
    if (address !== '' && isIP(address) === 0) throw wrongAddress('hostaddr is an IP address');
    const name = names[index]?.trim() || address || defaultHost(port);
    if (name.startsWith('@')) throw wrongAddress('sockets in the abstract namespace are not supported');
    if (/[\s@/]/.test(name) && !name.startsWith('/'))
      throw wrongAddress('the host has a character that no host has; encode those of the password');
    return { name, address: address || name, port };
  });
}

function portOf(text: string): number {
  const port = text.trim() === '' ? 5432 : /^\s*\d+\s*$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw wrongAddress('the port is no number from 1 to 65535; in a password, write / as %2F and : as %3A');
}

/** Where packages of PostgreSQL have the socket of a server. */
const SOCKETS = '/var/run/postgresql';

function defaultHost(port: number): string {
  return existsSync(join(SOCKETS, `.s.PGSQL.${port}`)) ? SOCKETS : 'localhost';
}

function sharedSettings(options: AddressOptions): pg.ClientConfig {
  const user = options.get('user') || userInfo().username;
  const applicationName = options.get('application_name');
  const seconds = (key: string) => {
    const text = options.get(key);
    if (text === undefined) return undefined;
    if (!/^\s*-?\d+\s*$/.test(text)) throw wrongAddress(`${key} is a whole number`);
    return Math.max(0, Number(text)) * 1000;
  };
  const idle = seconds('keepalives_idle');
  const timeout = seconds('connect_timeout');
  const direct = options.get('sslnegotiation') === 'direct' ? { sslnegotiation: 'direct' } : {};
  return {
    user,
    database: options.get('dbname') || user,
    ...(options.has('password') && { password: options.get('password')! }),
    ...(options.has('options') && { options: options.get('options')! }),
    ...(applicationName && { application_name: applicationName }),
    ...(options.get('keepalives') === '0' && { keepAlive: false }),
    ...(idle && { keepAliveInitialDelayMillis: idle }),
    ...(timeout !== undefined && { connectionTimeoutMillis: timeout }),
    ...direct,
  } as pg.ClientConfig;
}

/**
 * How connections are encrypted: as the source's settings say, or its address.
 * @throws EngineError where what the options demand cannot be had together
 */
export function encryptionOf({ encryption }: ConnectionConfiguration, options: AddressOptions): Encryption {
  if (encryption !== undefined) return encryption;
  const root = options.get('sslrootcert');
  const mode = (options.get('sslmode') ?? (root === 'system' ? 'verify-full' : 'prefer')) as SslMode;
  if (root === 'system' && mode !== 'verify-full')
    throw wrongAddress(
      `sslrootcert=system needs sslmode=verify-full: any owner of a public certificate would pass`,
    );
  if (options.get('sslnegotiation') === 'direct' && !ENFORCED.has(mode))
    throw wrongAddress('sslnegotiation=direct needs sslmode=require or a stronger one');
  const passphrase = options.get('sslpassword');
  const own = options.get('sslcertmode') !== 'disable';
  const cert = own ? certificate(options, 'sslcert', 'postgresql.crt') : undefined;
  if (options.get('sslcertmode') === 'require' && cert === undefined)
    throw wrongAddress('sslcertmode=require needs a client certificate: name its file by sslcert');
  return {
    mode,
    ca: root === 'system' ? systemRoots() : certificate(options, 'sslrootcert', 'root.crt'),
    cert,
    key: cert === undefined ? undefined : certificate(options, 'sslkey', 'postgresql.key'),
    ...(passphrase !== undefined && { passphrase }),
  };
}

/** Modes in which nothing is sent in plain text. */
const ENFORCED: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full']);

/** The text of a file that an option names, or of libpq's own in the home directory, if it is there. */
function certificate(options: AddressOptions, key: string, own: string): string | undefined {
  const named = options.get(key);
  if (named) return readFile(key, named);
  const file = join(homedir(), '.postgresql', own);
  return existsSync(file) ? readFile(key, file) : undefined;
}

function readFile(key: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw wrongAddress(`the file of ${key} cannot be read: ${fileProblem(error)}`);
  }
}

/** The authorities that the machine trusts, as OpenSSL finds them; `undefined` for those that Node brings along. */
function systemRoots(): string | undefined {
  const named = process.env.SSL_CERT_FILE;
  const file = named ?? SYSTEM_ROOTS.find((each) => existsSync(each));
  return file === undefined ? undefined : readFile('sslrootcert', file);
}

const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

function tlsAttempts(
  host: Host,
  encryption: Encryption,
  options: AddressOptions,
): readonly (false | ConnectionOptions)[] {
  const { mode } = encryption;
  // Nobody listens between the ends of a socket of this machine.
  if (mode === 'disable' || host.name.startsWith('/')) return [false];
  const encrypted = tlsOptions(host, encryption, options);
  switch (mode) {
    case 'allow':
      return [false, encrypted];
    case 'prefer':
      return [encrypted, false];
    default:
      return [encrypted];
  }
}

function tlsOptions(host: Host, { mode, ca, cert, key, passphrase }: Encryption, options: AddressOptions) {
  if (mode === 'verify-ca' && ca === undefined)
    throw wrongAddress(
      'sslmode=verify-ca needs the certificate of its authority: name the file by sslrootcert, or use verify-full',
    );
  const crl = options.get('sslcrl');
  const min = options.get('ssl_min_protocol_version') as SecureVersion | undefined;
  const max = options.get('ssl_max_protocol_version') as SecureVersion | undefined;
  const { name } = host;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(passphrase !== undefined && { passphrase }),
    ...(crl && { crl: readFile('sslcrl', crl) }),
    ...(min && { minVersion: min }),
    ...(max && { maxVersion: max }),
    ...(isIP(name) === 0 && { servername: name }),
    // Who knows the authority has it checked, as libpq does; only verify-full asks for the name of the host as well.
    rejectUnauthorized: ca !== undefined || mode === 'verify-full',
    checkServerIdentity:
      mode === 'verify-full'
        ? (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
            checkServerIdentity(name, certificate)
        : () => undefined,
  };
}

function shuffle(list: unknown[]): void {
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [list[index], list[other]] = [list[other], list[index]];
  }
}
