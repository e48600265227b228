/**
 * Evaluates generated texts. TypeScript becomes CommonJS (esbuild), CommonJS becomes a function: the one way that leaks
 * neither modules nor scripts however often the program changes. Work is done in slices, so that requests are answered
 * meanwhile, and only for files that changed or import one that did.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { transform } from 'esbuild';
import * as contract from '../core/contract.ts';
import type { GeneratedProgram } from '../core/resolvers.ts';

/** Generated files: path below the folder → text. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** A generated file cannot be loaded: it was edited wrongly, or it is our defect. */
export class LoadError extends Error {
  readonly file: string;

  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file}: ${reason}`, { cause });
    this.file = file;
  }
}

interface Module {
  /** Hash of the text and of the keys of what it imports: equal keys, equal modules. */
  readonly key: string;
  readonly exports: Record<string, unknown>;
}

interface Transpiled {
  readonly hash: string;
  readonly code: string;
  /** Paths of the files it imports. */
  readonly imports: readonly string[];
}

/** Milliseconds of evaluation before other work gets its turn. */
const SLICE = 8;
/** Texts given to esbuild at once. */
const BATCH = 64;
const ENTRY = 'index.ts';

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
  let transpiled: ReadonlyMap<string, Transpiled> = new Map();
  let modules: ReadonlyMap<string, Module> = new Map();
  let last: Promise<unknown> = Promise.resolve();

  const load = async (files: GeneratedFiles): Promise<GeneratedProgram> => {
    const nextTranspiled = await transpile(files, transpiled);
    const nextModules = await evaluate(nextTranspiled, modules);
    const program = nextModules.get(ENTRY)!.exports.default;
    if (typeof program !== 'object' || program === null)
      throw new LoadError(ENTRY, 'it has no default export');
    transpiled = nextTranspiled;
    modules = nextModules;
    return program as GeneratedProgram;
  };

  return {
    load: (files) => {
      const result = last.then(() => load(files));
      last = result.catch(() => {});
      return result;
    },
  };
}

/** Turns every file that `index.ts` leads to into CommonJS, except those whose text is known from before. */
async function transpile(
  files: GeneratedFiles,
  known: ReadonlyMap<string, Transpiled>,
): Promise<ReadonlyMap<string, Transpiled>> {
  const result = new Map<string, Transpiled>();
  let level = [ENTRY];
  while (level.length > 0) {
    const found = new Set<string>();
    for (let start = 0; start < level.length; start += BATCH) {
      const batch = level.slice(start, start + BATCH);
      const done = await Promise.all(batch.map((path) => transpileFile(path, files, known.get(path))));
      batch.forEach((path, index) => {
        result.set(path, done[index]!);
        for (const imported of done[index]!.imports) found.add(imported);
      });
    }
    level = [...found].filter((path) => !result.has(path));
  }
  return result;
}

async function transpileFile(
  path: string,
  files: GeneratedFiles,
  known: Transpiled | undefined,
): Promise<Transpiled> {
  const text = files.get(path);
  if (text === undefined) throw new LoadError(path, 'the file is missing');
  const hash = createHash('sha256').update(text).digest('base64url');
  if (known?.hash === hash) return known;
  let code: string;
  try {
    ({ code } = await transform(text, { loader: 'ts', format: 'cjs', target: 'node20', sourcefile: path }));
  } catch (error) {
    throw new LoadError(path, (error as Error).message, error);
  }
  return { hash, code, imports: importsOf(path, code) };
}

/** How esbuild prints imports and re-exports. What else calls `require` is refused when it runs. */
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

function resolveImport(path: string, specifier: string): string {
  if (/^\.\.?\//.test(specifier) && specifier.endsWith('.ts')) {
    return posix.join(posix.dirname(path), specifier);
  }
  throw new LoadError(
    path,
    `it imports ${JSON.stringify(specifier)}; only "engine/contract" and relative .ts files can be imported`,
  );
}

/** Evaluates the files, imported ones first. */
async function evaluate(
  files: ReadonlyMap<string, Transpiled>,
  known: ReadonlyMap<string, Module>,
): Promise<ReadonlyMap<string, Module>> {
  const modules = new Map<string, Module>();
  let sliceStart = performance.now();
  for (const path of importedFirst(files)) {
    const { hash, code, imports } = files.get(path)!;
    const key = createHash('sha256')
      .update([hash, ...imports.map((imported) => modules.get(imported)!.key)].join('\n'))
      .digest('base64url');
    const before = known.get(path);
    if (before?.key === key) {
      modules.set(path, before);
      continue;
    }
    modules.set(path, { key, exports: run(path, code, modules) });
    if (performance.now() - sliceStart > SLICE) {
      await nextTurn();
      sliceStart = performance.now();
    }
  }
  return modules;
}

function importedFirst(files: ReadonlyMap<string, Transpiled>): readonly string[] {
  const order: string[] = [];
  const done = new Set<string>();
  const underWay = new Set<string>();
  const visit = (path: string) => {
    if (done.has(path)) return;
    if (underWay.has(path)) throw new LoadError(path, 'it imports itself through others');
    underWay.add(path);
    for (const imported of files.get(path)!.imports) visit(imported);
    done.add(path);
    order.push(path);
  };
  visit(ENTRY);
  return order;
}

function run(path: string, code: string, modules: ReadonlyMap<string, Module>): Record<string, unknown> {
  const module = { exports: {} as Record<string, unknown> };
  const require = (specifier: string) =>
    specifier === 'engine/contract' ? contract : modules.get(resolveImport(path, specifier))!.exports;
  try {
    new Function('exports', 'require', 'module', `${code}\n//# sourceURL=generated/${path}`)(
      module.exports,
      require,
      module,
    );
  } catch (error) {
    throw new LoadError(path, (error as Error).message, error);
  }
  return module.exports;
}
