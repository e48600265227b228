/** Saved catalogs: the databases of a project as a file that a compile can use in their place. */

import { readFile, writeFile } from 'node:fs/promises';
import { formatPath } from '../core/diagnostics/path.ts';
import { fileProblem, jsonProblem, valueProblem } from '../core/reasons.ts';
import type { CatalogFile } from './catalog.ts';
import { compareText } from './order.ts';

const advice = 'Write it anew with `engine introspect`.';
/** Maximum number of reported findings. More means that the file is of another kind or truncated. */
const shownFindings = 5;
/** A value that fits on a line of this length is printed on one line: usually a column, a key, an argument. */
const lineLength = 200;

/** A saved catalog that cannot be used; the message names the file, the place in it and what to do. */
export class CatalogFileError extends Error {
  override readonly name = 'CatalogFileError';
}

/**
 * Reads and checks a saved catalog.
 *
 * @throws CatalogFileError if there is no such file, if it is not JSON, or not a catalog.
 */
export async function readCatalogFile(path: string): Promise<CatalogFile> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CatalogFileError(`The catalog ${path} cannot be read: ${fileProblem(cause)}. ${advice}`, {
      cause,
    });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CatalogFileError(`The catalog ${path} is not JSON: ${jsonProblem(text)}. ${advice}`, { cause });
  }
  // Loaded on demand: a server reads no saved catalog.
  const { checkCatalogFile } = await import('./catalog.ts');
  const checked = checkCatalogFile(json);
  if ('file' in checked) return checked.file;
  const { issues } = checked;
  const findings = issues
    .slice(0, shownFindings)
    .map(
      (issue) => `  ${valueProblem(json, issue, formatPath(issue.path as (string | number)[], 'catalog'))}`,
    );
  const further = issues.length - findings.length;
  if (further > 0) findings.push(`  and ${further} more`);
  throw new CatalogFileError(`The catalog ${path} is not valid:\n${findings.join('\n')}\n${advice}`);
}

/** Writes a catalog, sources by name: equal catalogs give equal bytes, and a changed column is a changed line. */
export async function writeCatalogFile(path: string, file: CatalogFile): Promise<void> {
  await writeFile(path, printCatalogFile(file));
}

/** The text of a saved catalog, with its newline at the end. */
export function printCatalogFile(file: CatalogFile): string {
  const sources = Object.entries(file.sources).sort(([a], [b]) => compareText(a, b));
  return `${printLines({ version: file.version, sources: Object.fromEntries(sources) })}\n`;
}

/** JSON, indented like JSON.stringify's, but short lists and objects on one line. */
export function printLines(value: unknown, indentation = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || indentation.length + line.length <= lineLength)
    return line;
  const inner = `${indentation}  `;
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((entry) => printLines(entry, inner))]
    : [
        '{',
        '}',
        Object.entries(value).map(([key, entry]) => `${JSON.stringify(key)}: ${printLines(entry, inner)}`),
      ];
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indentation}${close}`;
}
