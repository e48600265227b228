/** The files of a project as the metadata thread sees them: read, written back, and what is made of the compiled program. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupByCause } from '../../runtime/core/diagnostics/causes.ts';
import { EngineError } from '../../runtime/core/errors.ts';
import { fileProblem } from '../../runtime/core/reasons.ts';
import type { SavedOptions } from '../../runtime/core/saved/saved.ts';
import { jsonText } from '../../runtime/core/types.ts';
import { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { Metadata } from '../../runtime/metadata/metadata.ts';
import type { ProjectFiles } from '../../runtime/metadata-api/thread/project.ts';
import { differingFiles } from '../cli/metadata-folder.ts';
import { OutputFolderError, writeFolder } from '../cli/output-folder.ts';
import type { CompileResult } from '../index.ts';
import { createMemory } from '../memory/memory.ts';
import { reuseMetadata } from '../memory/reuse.ts';
import { exportMetadata, type ParsedFiles, readMetadataFile } from '../phases/1-read/index.ts';
import { renderDiagnostics } from '../review/findings/render.ts';

export interface ProjectFilesOptions {
  /** File or directory. */
  readonly metadata: string;
  /** Folder for the generated files. */
  readonly out?: string | undefined;
  /** File for the types of each role's clients, by role. */
  readonly clientTypes: readonly (readonly [role: string, file: string])[];
  /** Folder of the handlers of actions. */
  readonly handlerTypes?: string | undefined;
  readonly serving: SavedOptions;
  readonly word: string;
}

export function openFiles(given: object): ProjectFiles {
  const options = given as ProjectFilesOptions;
  const vocabulary = new Vocabulary(options.word);
  const memory = createMemory();
  const parsed: ParsedFiles = new Map();
  let last: Metadata | undefined;
  return {
    read: () => {
      const { value, diagnostics, origin } = readMetadataFile(options.metadata, { parsed, vocabulary });
      // What did not change keeps its identity: it is neither compiled nor stored again.
      last = reuseMetadata(value, last, memory);
      return {
        metadata: last,
        unread: diagnostics,
        describe: (problems) => {
          const located = problems.map((problem) => {
            const location = problem.location ?? origin.locate(problem.path);
            return location ? { ...problem, location } : problem;
          });
          return groupByCause(located).map(({ diagnostic, consequences }) => {
            const text = renderDiagnostics([diagnostic, ...consequences], origin.describe).trimEnd();
            const [head = '', ...lines] = text.split('\n');
            return { severity: diagnostic.severity, head, text: lines.join('\n') };
          });
        },
      };
    },
    write: (before, after) => writeBack(options.metadata, before, after, vocabulary),
    served: async (compilation) => {
      try {
        await writeMade(options, compilation as CompileResult);
      } catch (error) {
        const { path } = error as NodeJS.ErrnoException;
        if (path === undefined) throw error;
        throw new OutputFolderError(`${path} cannot be written: ${fileProblem(error)}.`);
      }
    },
  };
}

/**
 * Writes the files that a change concerns, if files and metadata are the same before and after.
 * @throws EngineError
 */
function writeBack(path: string, before: Metadata, after: Metadata, vocabulary: Vocabulary): void {
  const isSame = (metadata: Metadata) => {
    const { value, diagnostics } = readMetadataFile(path, { vocabulary });
    return (
      diagnostics.every(({ severity }) => severity !== 'error') && exported(value) === exported(metadata)
    );
  };
  if (!isSame(before))
    throw refused(path, 'they have errors, or were changed and are not served yet; try again once they are');
  const text = (metadata: Metadata) => `${jsonText(exportMetadata(metadata), '  ')}\n`;
  const changed = path.endsWith('.json')
    ? [{ path: '', before: text(before), after: text(after) }]
    : differingFiles(before, after);
  if (changed.some((file) => file.before !== undefined && !existsSync(join(path, file.path))))
    throw refused(
      path,
      'they do not have the form of engine metadata export, one table a file: change them there',
    );
  const texts = new Map(changed.map((file) => [file.path, textOf(join(path, file.path))]));
  try {
    for (const file of changed) write(join(path, file.path), file.after);
    if (isSame(after)) return;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    throw refused(path, fileProblem(error));
  } finally {
    if (!isSame(after)) for (const [file, text] of texts) write(join(path, file), text);
  }
  throw refused(path, 'written back they would not say the same: change them there');
}

function exported(metadata: Metadata): string {
  return jsonText(exportMetadata(metadata, 'store'));
}

function refused(path: string, reason: string): EngineError {
  return new EngineError('not-supported', `The metadata is that of the files in ${path}, and ${reason}.`);
}

function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function write(path: string, text: string | undefined): void {
  if (text === undefined) {
    rmSync(path, { force: true });
    return;
  }
  if (textOf(path) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Writes what was asked for. Its packages are loaded only then. */
async function writeMade(
  { out, clientTypes, handlerTypes, serving }: ProjectFilesOptions,
  result: CompileResult,
): Promise<void> {
  if (out !== undefined) {
    writeFolder(out, result.files);
  }
  if (clientTypes.length > 0) {
    const { roleTypes } = await import('../cli/schema-command.ts');
    for (const [role, file] of clientTypes) write(file, await roleTypes(result, role, 'types', serving));
  }
  if (handlerTypes !== undefined) {
    const { writeHandlers } = await import('../cli/action-types.ts');
    await writeHandlers(result, handlerTypes);
  }
}
