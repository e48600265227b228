/** Encryption of connections, by the modes of `sslmode`. */
import pg from 'pg';
import type { ConnectionConfiguration } from './connection.ts';

const ENCRYPTED = { rejectUnauthorized: false };

/**
 * The configurations to try in turn. An address that says nothing of encryption is tried in plain text first, and encrypted
 * if the server insists on it; `prefer` the other way round. `require` encrypts without asking who the server is.
 */
export function connectionAttempts(
  configuration: ConnectionConfiguration,
): readonly ConnectionConfiguration[] {
  const { encryption, ...rest } = configuration;
  const { mode, without } = modeOf(rest);
  if (rest.ssl !== undefined) return [without];
  const [plain, encrypted] = [
    { ...without, ssl: false },
    { ...without, ssl: ENCRYPTED },
  ];
  switch (encryption ?? mode) {
    case 'disable':
      return [plain];
    case 'allow':
      return [plain, encrypted];
    case 'prefer':
      return [encrypted, plain];
    case 'require':
      return [encrypted];
    default:
      return [rest];
  }
}

/** Opens in the first way that the server takes; `open` connects. @throws what the last way throws */
export async function openInTurn<Opened>(
  configuration: ConnectionConfiguration,
  open: (attempt: ConnectionConfiguration) => Promise<Opened>,
): Promise<Opened> {
  const attempts = connectionAttempts(configuration);
  for (const attempt of attempts.slice(0, -1)) {
    try {
      return await open(attempt);
    } catch (error) {
      if (!isAboutEncryption(error)) throw error;
    }
  }
  return open(attempts.at(-1)!);
}

/** True if only encryption failed, so that the other mode may succeed. */
export function isAboutEncryption(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return error.code === '28000';
  return error instanceof Error && error.message === 'The server does not support SSL connections';
}

/** The mode that the address names, and the configuration without it: what an address says would win over `ssl`. */
function modeOf(configuration: ConnectionConfiguration): {
  readonly mode: string;
  readonly without: ConnectionConfiguration;
} {
  const { connectionString } = configuration;
  if (connectionString === undefined || !URL.canParse(connectionString))
    return { mode: 'allow', without: configuration };
  const url = new URL(connectionString);
  const mode = url.searchParams.get('sslmode');
  const [first] = [...url.searchParams.keys()].filter((key) => key.startsWith('ssl') && key !== 'sslmode');
  // Certificates and the older spellings are left to `pg`.
  if (first !== undefined) return { mode: 'as written', without: configuration };
  if (mode === null) return { mode: 'allow', without: configuration };
  url.searchParams.delete('sslmode');
  return { mode, without: { ...configuration, connectionString: url.href } };
}
