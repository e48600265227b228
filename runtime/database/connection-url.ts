/**
 * Where a source's database is, resolved from the metadata's form and the environment. The
 * result holds passwords: it goes to `pg` and nowhere else.
 */

import { readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { type Environment, fillTemplate } from '../core/environment-template.ts';
import { EngineError } from '../core/errors.ts';
import { fileProblem } from '../core/reasons.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { DatabaseUrl, SslConfiguration } from '../metadata/metadata.ts';
import type { ConnectionConfiguration, Encryption } from './ways.ts';

export interface ConnectionUrlOptions {
  readonly environment: Environment;
  /** Folder below which address files may be read; without it none may. */
  readonly allowedFolder?: string | undefined;
  /** Of the variable that names the folder, in errors. */
  readonly vocabulary: Vocabulary;
}

/**
 * Resolves an address. The returned function is called before every connect, for files are read each time anew.
 * @throws EngineError naming the environment variables that are missing
 */
export function connectionUrl(
  url: DatabaseUrl,
  ssl: SslConfiguration | undefined,
  options: ConnectionUrlOptions,
): () => ConnectionConfiguration {
  const { environment } = options;
  const tls = ssl ? { encryption: encryptionOf(ssl, environment) } : {};
  switch (url.kind) {
    case 'template': {
      const configuration = { connectionString: fillAddress(url.template, environment), ...tls };
      return () => configuration;
    }
    case 'environment': {
      const configuration = { connectionString: variable(url.variable, environment), ...tls };
      return () => configuration;
    }
    case 'parameters': {
      const { host, port, username, database, password } = url.parameters;
      const configuration = {
        host,
        port,
        user: username,
        database,
        ...(password === undefined ? {} : { password }),
        ...tls,
      };
      return () => configuration;
    }
    case 'file':
      return () => ({ connectionString: readAddress(url.file, options), ...tls });
  }
}

function variable(name: string, environment: Environment): string {
  const value = environment[name];
  if (value === undefined || value === '')
    throw new EngineError('not-found', `environment variable '${name}' not set`);
  return value;
}

/** Puts the values of environment variables in the place of `{{NAME}}`. */
function fillAddress(template: string, environment: Environment): string {
  const { text, missing } = fillTemplate(template, environment);
  if (missing.length === 0) return text;
  throw new EngineError('not-found', `Value for environment variables not found: ${missing.join(', ')}`);
}

type FolderOptions = Pick<ConnectionUrlOptions, 'allowedFolder' | 'vocabulary'>;

function readAddress(file: string, options: FolderOptions): string {
  return reading(file, () => readFileSync(allowedFile(file, options), 'utf8').trim());
}

/**
 * The canonical path of a file that an address may be read from.
 * @throws EngineError permission-error for a file elsewhere, not-found for one that is not there
 */
export function allowedFile(file: string, { allowedFolder, vocabulary }: FolderOptions): string {
  return reading(file, () => {
    if (allowedFolder === undefined) throw forbidden(file, vocabulary);
    const path = realpathSync(file);
    if (!path.startsWith(`${realpathSync(allowedFolder)}${sep}`)) throw forbidden(file, vocabulary);
    return path;
  });
}

function forbidden(file: string, vocabulary: Vocabulary): EngineError {
  return new EngineError(
    'permission-error',
    `the file ${JSON.stringify(file)} is not below the folder that ${vocabulary.environment('DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX')} names`,
  );
}

function reading<Result>(file: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw new EngineError(
      'not-found',
      `the file ${JSON.stringify(file)} cannot be read: ${fileProblem(error)}`,
    );
  }
}

function encryptionOf(ssl: SslConfiguration, environment: Environment): Encryption {
  const value = (from: { readonly from_env: string } | undefined) =>
    from === undefined ? undefined : variable(from.from_env, environment);
  return {
    mode: ssl.sslmode,
    ca: value(ssl.sslrootcert),
    cert: value(ssl.sslcert),
    key: value(ssl.sslkey),
    passphrase: value(ssl.sslpassword),
  };
}

/** The variable that an address consists of; undefined for any other address. */
export function addressVariable(address: DatabaseUrl): string | undefined {
  if (address.kind === 'environment') return address.variable;
  return address.kind === 'template' ? /^\{\{\s*([^{}\s]+)\s*\}\}$/.exec(address.template)?.[1] : undefined;
}

/** Whether an address consists of a variable that is not set. */
export function isUnset(address: DatabaseUrl, environment: Environment): boolean {
  const variable = addressVariable(address);
  return variable !== undefined && !environment[variable];
}
