/**
 * Loads generated texts: esbuild makes CommonJS of TypeScript, which is evaluated. What only evaluates, such as the serving thread,
 * does not load esbuild.
 */
import { stop, transform } from 'esbuild';
import type { GeneratedProgram } from '../core/program/resolvers.ts';
import { sameItems } from '../core/remember.ts';
import {
  createEvaluator,
  ENTRY,
  inTurn,
  resolveImport,
  type TranspiledFile,
  type TranspiledFiles,
} from './evaluator.ts';
import { LoadError } from './load-error.ts';

/** Generated files: path below the folder → text. */
type GeneratedFiles = ReadonlyMap<string, string>;

/** Texts given to esbuild at once. */
const BATCH = 64;

export interface Loader {
  /**
   * Evaluates `index.ts` and what it imports. Modules of the previous load stay in use where nothing below them changed.
   * Loads run one at a time.
   * @throws LoadError naming the file
   */
  load(files: GeneratedFiles): Promise<GeneratedProgram>;
}

/** Makes a loader, which remembers the modules of its last successful load. */
export function createLoader(): Loader {
  const transpiler = createTranspiler();
  const evaluator = createEvaluator();
  return { load: inTurn(async (files) => evaluator.evaluate(await transpiler.transpile(files))) };
}

export interface Transpiler {
  /** Transpiles `index.ts` and its imports to CommonJS; unchanged files are reused. @throws LoadError */
  transpile(files: GeneratedFiles): Promise<TranspiledFiles>;
}

/**
 * @param idleTime milliseconds without work after which esbuild, a process of its own, is ended until it is needed again; only
 * where this thread uses esbuild for nothing else
 */
export function createTranspiler(idleTime?: number): Transpiler {
  // It starts beside the work that comes before the first files.
  transform('').catch(() => {});
  let known: ReadonlyMap<string, KnownFile> = new Map();
  let idle: NodeJS.Timeout | undefined;
  return {
    transpile: inTurn(async (files) => {
      clearTimeout(idle);
      const next = await transpileAll(files, known);
      known = next;
      if (idleTime !== undefined) idle = setTimeout(() => void stop(), idleTime).unref();
      const transpiled = new Map<string, TranspiledFile>();
      for (const [path, { file }] of next) transpiled.set(path, file);
      return transpiled;
    }),
  };
}

interface KnownFile {
  readonly text: string;
  readonly file: TranspiledFile;
}

async function transpileAll(
  files: GeneratedFiles,
  known: ReadonlyMap<string, KnownFile>,
): Promise<ReadonlyMap<string, KnownFile>> {
  const current = await transpileChanged(files, known);
  if (current) return current;
  const result = new Map<string, KnownFile>();
  let level = new Set([ENTRY]);
  while (level.size > 0) {
    const changed: string[] = [];
    for (const path of level) {
      const before = known.get(path);
      if (before && before.text === files.get(path)) result.set(path, before);
      else changed.push(path);
    }
    for (const [path, file] of await transpileEach(changed, files)) result.set(path, file);
    const found = new Set<string>();
    for (const path of level)
      for (const imported of result.get(path)!.file.imports) if (!result.has(imported)) found.add(imported);
    level = found;
  }
  return result;
}

/** Like `transpileAll`, without following imports; undefined if one of the files that changed imports others than before. */
async function transpileChanged(
  files: GeneratedFiles,
  known: ReadonlyMap<string, KnownFile>,
): Promise<ReadonlyMap<string, KnownFile> | undefined> {
  const changed: string[] = [];
  for (const [path, { text }] of known) if (files.get(path) !== text) changed.push(path);
  if (known.size === 0 || changed.some((path) => !files.has(path))) return undefined;
  const result = new Map(known);
  for (const [path, next] of await transpileEach(changed, files)) {
    if (!sameItems(known.get(path)!.file.imports, next.file.imports)) return undefined;
    result.set(path, next);
  }
  return result;
}

async function transpileEach(
  paths: readonly string[],
  files: GeneratedFiles,
): Promise<readonly (readonly [string, KnownFile])[]> {
  const result: (readonly [string, KnownFile])[] = [];
  for (let start = 0; start < paths.length; start += BATCH) {
    const batch = paths.slice(start, start + BATCH);
    result.push(
      ...(await Promise.all(batch.map(async (path) => [path, await transpileFile(path, files)] as const))),
    );
  }
  return result;
}

async function transpileFile(path: string, files: GeneratedFiles): Promise<KnownFile> {
  const text = files.get(path);
  if (text === undefined) throw new LoadError(path, 'the file is missing');
  let code: string;
  try {
    ({ code } = await transform(text, { loader: 'ts', format: 'cjs', target: 'node20', sourcefile: path }));
  } catch (error) {
    throw new LoadError(path, (error as Error).message, error);
  }
  return { text, file: { code, imports: importsOf(path, code) } };
}

/** Imports and re-exports as esbuild prints them. Any other call of `require` fails at run time. */
const IMPORT = /^(?:var \w+ = (?:__toESM\()?|__reExport\(\w+, )require\("([^"]*)"\)/gm;

/** Relative imports as paths of files. Everything else but the contract is refused. */
function importsOf(path: string, code: string): readonly string[] {
  const imports: string[] = [];
  for (const [, specifier] of code.matchAll(IMPORT)) {
    if (specifier === 'engine/contract') continue;
    imports.push(resolveImport(path, specifier!));
  }
  return imports;
}
