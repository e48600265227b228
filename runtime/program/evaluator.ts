/**
 * Evaluates generated code: a file becomes a function, the one way that leaks neither modules nor scripts however often the program
 * changes. Work is done in slices, so that requests are answered meanwhile, and only for files that changed or import one that did.
 */
import { posix } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as contract from '../core/contract/contract.ts';
import type { GeneratedProgram } from '../core/program/resolvers.ts';
import { remember, sameItems } from '../core/remember.ts';
import { LoadError } from './load-error.ts';

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
/** The file that leads to all others. */
export const ENTRY = 'index.ts';

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
export function inTurn<Input, Output>(
  run: (input: Input) => Promise<Output>,
): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const result = last.then(() => run(input));
    last = result.catch(() => {});
    return result;
  };
}

/** A relative import as the path of a file. @throws LoadError for everything but `.ts` files below the folder */
export function resolveImport(path: string, specifier: string): string {
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
