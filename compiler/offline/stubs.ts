/**
 * Stand-ins for extensions that an embedded PostgreSQL lacks: an SQL file that declares types and functions is installed as the
 * extension of that name, so that CREATE, COMMENT ON and ALTER EXTENSION work as they do.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileProblem } from '../../runtime/core/reasons.ts';

const SHIPPED = fileURLToPath(new URL('stubs', import.meta.url));
const VERSION = '1';

/** A stub cannot be used; the message says why and what to do. */
export class StubError extends Error {
  override readonly name = 'StubError';
}

/** Names of the extensions with a stub of ours. */
export function shippedStubs(): string[] {
  return readdirSync(SHIPPED).map((file) => basename(file, '.sql'));
}

/**
 * Reads the stubs that a command line names.
 * @param given `NAME=FILE`, or `NAME` for one of ours
 * @returns SQL by name of the extension
 * @throws StubError
 */
export function readStubs(given: readonly string[]): Map<string, string> {
  return new Map(
    given.map((text) => {
      const [, name, file] = /^([^=]*)(?:=(.*))?$/s.exec(text)!;
      if (!/^[a-z0-9_-]+$/i.test(name!) || file === '')
        throw new StubError(
          `--stub-extension ${text} is not NAME=FILE, or the NAME of one of: ${shippedStubs().join(', ')}.`,
        );
      if (file === undefined && !shippedStubs().includes(name!))
        throw new StubError(
          `There is no stub of the extension "${name}": give the SQL that declares its types and functions, ` +
            `--stub-extension ${name}=FILE. Stubs come with: ${shippedStubs().join(', ')}.`,
        );
      return [name!, read(file ?? join(SHIPPED, `${name}.sql`), name!)];
    }),
  );
}

function read(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new StubError(
      `The stub of the extension "${name}" cannot be read: ${file}: ${fileProblem(error)}.`,
    );
  }
}

/** Stubs where a server finds them. */
export interface StubFolder {
  /** Value of the server's setting `extension_control_path`. */
  readonly searchPath: string;
  /** Adds the version that the error of a CREATE or ALTER EXTENSION asks for. Returns false if it is about something else. */
  addVersion(message: string): boolean;
}

/**
 * @param folder to write to, which the server's account must be able to enter
 * @param seenAs the path of `folder` on the server
 */
export function installStubs(stubs: ReadonlyMap<string, string>, folder: string, seenAs: string): StubFolder {
  const extensions = join(folder, 'extension');
  mkdirSync(extensions, { recursive: true });
  for (const each of [folder, extensions]) chmodSync(each, 0o755);
  const write = (file: string, text: string) => {
    writeFileSync(join(extensions, file), text);
    chmodSync(join(extensions, file), 0o644);
  };
  for (const [name, sql] of stubs) {
    const schema = /^-- schema: (\w+)$/m.exec(sql)?.[1];
    const control = [`default_version = '${VERSION}'`, 'relocatable = false', 'trusted = true'];
    write(`${name}.control`, `${[...control, ...(schema ? [`schema = '${schema}'`] : [])].join('\n')}\n`);
    write(`${name}--${VERSION}.sql`, sql);
  }
  return {
    searchPath: `${seenAs}:$system`,
    addVersion: (message) => {
      const [, name = '', from, to, version = to] =
        /^extension "(.+)" has no (?:update path from version "(.+)" to version "(.+)"|installation script nor update path for version "(.+)")$/.exec(
          message,
        ) ?? [];
      const sql = stubs.get(name);
      if (sql === undefined || version === undefined) return false;
      const file = `${name}--${from === undefined ? version : `${from}--${version}`}.sql`;
      if (existsSync(join(extensions, file))) return false;
      write(file, from === undefined ? sql : '');
      return true;
    },
  };
}
