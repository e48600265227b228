/** libpq's connection options: which values they take, the environment variable of each, and what is not supported here. */

import { EngineError } from '../core/errors.ts';
import { wordList } from '../core/names.ts';

interface Option {
  /** Says the value where the address does not, as everywhere in PostgreSQL. */
  readonly variable?: string;
  /** All the values that it takes. */
  readonly values?: readonly string[];
  /** Values, or all of them, that are refused, and why. */
  readonly refused?: { readonly except?: readonly string[]; readonly because: string };
}

const KERBEROS = { because: 'GSSAPI and Kerberos are not supported' };
const OAUTH = { because: 'authentication by OAuth is not supported' };
const SWITCH = ['0', '1'];
const TLS_VERSIONS = ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'];

/** Some have no effect: Node cannot set them, or they change what never happens here. None of those protects anything. */
export const OPTIONS: Readonly<Record<string, Option>> = {
  host: { variable: 'PGHOST' },
  hostaddr: { variable: 'PGHOSTADDR' },
  port: { variable: 'PGPORT' },
  dbname: { variable: 'PGDATABASE' },
  user: { variable: 'PGUSER' },
  password: { variable: 'PGPASSWORD' },
  options: { variable: 'PGOPTIONS' },
  application_name: { variable: 'PGAPPNAME' },
  fallback_application_name: {},
  connect_timeout: { variable: 'PGCONNECT_TIMEOUT' },
  client_encoding: {
    variable: 'PGCLIENTENCODING',
    refused: { except: ['UTF8', 'utf8', 'UTF-8', 'utf-8', 'auto'], because: 'connections are always UTF-8' },
  },
  keepalives: { values: SWITCH },
  keepalives_idle: {},
  keepalives_interval: {},
  keepalives_count: {},
  tcp_user_timeout: {},
  target_session_attrs: {
    variable: 'PGTARGETSESSIONATTRS',
    values: ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'],
  },
  load_balance_hosts: { variable: 'PGLOADBALANCEHOSTS', values: ['disable', 'random'] },
  sslmode: {
    variable: 'PGSSLMODE',
    values: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'],
  },
  sslnegotiation: { variable: 'PGSSLNEGOTIATION', values: ['postgres', 'direct'] },
  sslrootcert: { variable: 'PGSSLROOTCERT' },
  sslcert: { variable: 'PGSSLCERT' },
  sslkey: { variable: 'PGSSLKEY' },
  sslpassword: {},
  sslcertmode: { variable: 'PGSSLCERTMODE', values: ['disable', 'allow', 'require'] },
  sslcrl: { variable: 'PGSSLCRL' },
  sslcrldir: {
    variable: 'PGSSLCRLDIR',
    refused: { because: 'put the lists of revoked certificates into one file, and name it by sslcrl' },
  },
  sslsni: {
    variable: 'PGSSLSNI',
    values: SWITCH,
    refused: { except: ['1'], because: 'the name of the host is always sent' },
  },
  sslcompression: { variable: 'PGSSLCOMPRESSION', values: SWITCH },
  ssl_min_protocol_version: { variable: 'PGSSLMINPROTOCOLVERSION', values: TLS_VERSIONS },
  ssl_max_protocol_version: { variable: 'PGSSLMAXPROTOCOLVERSION', values: TLS_VERSIONS },
  sslkeylogfile: { refused: { because: 'keys of connections are never written' } },
  channel_binding: { variable: 'PGCHANNELBINDING', values: ['disable', 'prefer', 'require'] },
  require_auth: { variable: 'PGREQUIREAUTH' },
  requirepeer: {
    variable: 'PGREQUIREPEER',
    refused: { because: 'the owner of a socket cannot be asked for; use require_auth=scram-sha-256' },
  },
  gssencmode: {
    variable: 'PGGSSENCMODE',
    values: ['disable', 'prefer', 'require'],
    refused: { except: ['disable', 'prefer'], ...KERBEROS },
  },
  krbsrvname: { variable: 'PGKRBSRVNAME', refused: KERBEROS },
  gsslib: { variable: 'PGGSSLIB', refused: KERBEROS },
  gssdelegation: { variable: 'PGGSSDELEGATION', refused: { except: ['0'], ...KERBEROS } },
  min_protocol_version: {
    variable: 'PGMINPROTOCOLVERSION',
    refused: { except: ['3.0'], because: 'connections use version 3.0 of the protocol' },
  },
  max_protocol_version: { variable: 'PGMAXPROTOCOLVERSION', values: ['3.0', '3.2', 'latest'] },
  passfile: { refused: { because: 'name the file by the environment variable PGPASSFILE' } },
  service: { variable: 'PGSERVICE', refused: { because: 'files of services are not read' } },
  servicefile: { refused: { because: 'files of services are not read' } },
  replication: { refused: { because: 'connections for replication are not supported' } },
  scram_client_key: { refused: { because: 'give the password' } },
  scram_server_key: { refused: { because: 'give the password' } },
  oauth_issuer: { refused: OAUTH },
  oauth_client_id: { refused: OAUTH },
  oauth_client_secret: { refused: OAUTH },
  oauth_scope: { refused: OAUTH },
};

/** An address that can never be right. */
export function wrongAddress(message: string): EngineError {
  return new EngineError('invalid-configuration', `wrong connection string: ${message}`);
}

/**
 * The value of an option.
 * @param from what to call it in messages
 * @throws EngineError for a value that the option does not take, or that is not supported
 */
export function readOption(name: string, value: string, from = name): string {
  const { values, refused } = OPTIONS[name]!;
  if (values && !values.includes(value)) throw wrongAddress(`${from} is ${wordList(values, 'or')}`);
  if (refused && !refused.except?.includes(value))
    throw wrongAddress(`the value of ${from} is not supported: ${refused.because}`);
  return value;
}
