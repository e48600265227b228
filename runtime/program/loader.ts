/**
 * Evaluates generated texts. TypeScript becomes CommonJS (esbuild), CommonJS becomes a function: the one way that leaks
 * neither modules nor scripts however often the program changes. Work is done in slices, so that requests are answered
 * meanwhile, and only for files that changed or import one that did.
 */
import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { stop, transform } from 'esbuild';
import * as contract from '../core/contract/contract.ts';
import type { GeneratedProgram } from '../core/program/resolvers.ts';
import { remember, sameItems } from '../core/remember.ts';
import { LoadError } from './load-error.ts';

/** Generated files: path below the folder → text. */
type GeneratedFiles = ReadonlyMap<string, string>;

/** A generated file as CommonJS. Immutable: a file that did not change is the identical object. */
export interface TranspiledFile {
  readonly code: string;
  /** Paths of the files it imports. */
  readonly imports: readonly string[];
}

/** Every file that `index.ts` leads to, by path. */
export type TranspiledFiles = ReadonlyMap<string, TranspiledFile>;

interface Module {
  readonly file: TranspiledFile;
  /** Runs the file again, for modules whose imports changed. */
  readonly run: Run;
  readonly exports: Record<string, unknown>;
}

type Run = (modules: ReadonlyMap<string, Module>) => Record<string, unknown>;

/** State that an evaluation leaves for the next one. */
interface Evaluated {
  readonly modules: ReadonlyMap<string, Module>;
  /** Path → paths of the files that import it. */
  readonly importers: ReadonlyMap<string, readonly string[]>;
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

export interface Evaluator {
  /** Evaluates the files in slices. Modules of the previous evaluation stay in use where nothing below them changed. */
  evaluate(files: TranspiledFiles): Promise<GeneratedProgram>;
  /** Like `evaluate`, without yielding to other work. @throws LoadError */
  evaluateNow(files: TranspiledFiles): GeneratedProgram;
}

export function createEvaluator(): Evaluator {
  let last: Evaluated = { modules: new Map(), importers: new Map() };
  const finish = (next: Evaluated): GeneratedProgram => {
    const program = next.modules.get(ENTRY)!.exports.default;
    if (typeof program !== 'object' || program === null)
      throw new LoadError(ENTRY, 'it has no default export');
    last = next;
    return program as GeneratedProgram;
  };
  return {
    evaluate: inTurn(async (files) => {
      const steps = evaluateChanged(files, last);
      let sliceStart = performance.now();
      for (;;) {
        const { done, value } = steps.next();
        if (done) return finish(value);
        if (performance.now() - sliceStart < SLICE) continue;
        await nextTurn();
        sliceStart = performance.now();
      }
    }),
    evaluateNow: (files) => {
      const steps = evaluateChanged(files, last);
      for (;;) {
        const { done, value } = steps.next();
        if (done) return finish(value);
      }
    },
  };
}

/** The function with its calls run one at a time, in order. */
function inTurn<Input, Output>(run: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const result = last.then(() => run(input));
    last = result.catch(() => {});
    return result;
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

function resolveImport(path: string, specifier: string): string {
  if (/^\.\.?\//.test(specifier) && specifier.endsWith('.ts')) {
    return posix.join(posix.dirname(path), specifier);
  }
  throw new LoadError(
    path,
    `it imports ${JSON.stringify(specifier)}; only "engine/contract" and relative .ts files can be imported`,
  );
}

/** Evaluates what changed and what imports it, imported files first; a step each. */
function* evaluateChanged(files: TranspiledFiles, last: Evaluated): Generator<undefined, Evaluated> {
  const changed: string[] = [];
  let sameImports = files.size === last.modules.size;
  for (const [path, file] of files) {
    const known = last.modules.get(path)?.file;
    if (known === file) continue;
    if (known?.code !== file.code) changed.push(path);
    sameImports &&= known !== undefined && sameItems(known.imports, file.imports);
  }
  const importers = sameImports ? last.importers : importersOf(files);
  const modules = new Map<string, Module>();
  for (const path of files.keys()) {
    const known = last.modules.get(path);
    if (known) modules.set(path, known);
  }
  for (const path of importedFirst(withImporters(changed, importers), files)) {
    const file = files.get(path)!;
    const known = last.modules.get(path);
    const run = known?.file.code === file.code ? known.run : prepareRun(path, file.code);
    modules.set(path, { file, run, exports: run(modules) });
    yield;
  }
  return { modules, importers };
}

function importersOf(files: TranspiledFiles): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const [path, { imports }] of files) {
    for (const imported of imports) {
      const known = importers.get(imported);
      if (known) known.push(path);
      else importers.set(imported, [path]);
    }
  }
  return importers;
}

/** The files and their direct and indirect importers. */
function withImporters(
  paths: readonly string[],
  importers: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> {
  const found = new Set(paths);
  // A set that grows while it is walked: what is added is walked as well.
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return found;
}

function importedFirst(paths: ReadonlySet<string>, files: TranspiledFiles): readonly string[] {
  const order: string[] = [];
  const done = new Set<string>();
  const underWay = new Set<string>();
  const visit = (path: string) => {
    if (done.has(path) || !paths.has(path)) return;
    if (underWay.has(path)) throw new LoadError(path, 'it imports itself through others');
    underWay.add(path);
    for (const imported of files.get(path)!.imports) visit(imported);
    done.add(path);
    order.push(path);
  };
  for (const path of paths) visit(path);
  return order;
}

function prepareRun(path: string, code: string): Run {
  const resolved = new Map<string, string>();
  const pathOf = (specifier: string) => remember(resolved, specifier, () => resolveImport(path, specifier));
  let body: Body | undefined;
  return (modules) => {
    const module = { exports: {} as Record<string, unknown> };
    const require = (specifier: string) =>
      specifier === 'engine/contract' ? contract : modules.get(pathOf(specifier))!.exports;
    try {
      body ??= new Function(
        'exports',
        'require',
        'module',
        `${code}\n//# sourceURL=generated/${path}`,
      ) as Body;
      body(module.exports, require, module);
    } catch (error) {
      throw new LoadError(path, (error as Error).message, error);
    }
    return module.exports;
  };
}

type Body = (exports: object, require: (specifier: string) => unknown, module: object) => void;
