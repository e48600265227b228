/**
 * Bundles the runtime with generated code into a program that runs with `node` alone, as a folder or as one file. The same input
 * gives the same bytes wherever it is built: no paths, no times, and names of modules are those inside the package.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { build, type Plugin } from 'esbuild';
import * as contract from '../../runtime/core/contract/contract.ts';
import type { ArtefactManifest } from '../../runtime/program/artefact/artefact.ts';
import { lean } from './lean.ts';
import { embed, PROGRAM } from './readable.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Extension of the engine's own modules: TypeScript in a checkout, JavaScript in a package. */
const EXTENSION = extname(import.meta.url);
const GENERATED = 'generated';
/** Placeholder for the generated code while the runtime is minified. */
const GENERATED_CODE = 'ENGINE_GENERATED_CODE';
/** Stands for the hash while it is computed. */
const NO_HASH = '0'.repeat(64);

export interface Bundle {
  /** An expression: a function of `require` and the address of the file to run, which returns what that file exports. */
  readonly program: string;
  readonly manifest: ArtefactManifest;
  /** Files of the package that went into it, from the top of the package. */
  readonly inputs: readonly string[];
}

/** An artefact as one file. */
export function oneFile({ program }: Bundle): string {
  return `#!/usr/bin/env node
import { createRequire } from 'node:module';
const program = ${program};
export const { artefact, run } = program(createRequire(import.meta.url), import.meta.url);
await run();
`;
}

/** The file of an artefact's folder that runs the program beside it. */
export function launcher(): string {
  return readFileSync(new URL('../../templates/server.mjs', import.meta.url), 'utf8');
}

/**
 * The compiled form of a program, for the Node.js that this is. It has the functions that run when the program is loaded, too, since V8
 * compiles most functions when they are first called. It begins with a digest of what it was made of (templates/server.mjs).
 */
export function compiledForm(program: string): Buffer {
  // V8 keeps the name with the code: stack traces have it.
  const script = new Script(program, { filename: PROGRAM });
  script.runInThisContext()(createRequire(import.meta.url), import.meta.url);
  const code = script.createCachedData();
  const made = createHash('sha256')
    .update(`${process.version} ${process.arch} `)
    .update(program)
    .update(code);
  return Buffer.concat([made.digest(), code]);
}

/** Bundles generated files. Everything they import is the contract or one of them. */
export async function bundleArtefact(
  files: ReadonlyMap<string, string>,
  manifest: Omit<ArtefactManifest, 'hash'>,
): Promise<Bundle> {
  const withoutHash: ArtefactManifest = { ...manifest, hash: NO_HASH };
  const generated = await build({
    ...COMMON,
    entryPoints: [`${GENERATED}:index.ts`],
    charset: 'utf8',
    plugins: [generatedFiles(files)],
  });
  const result = await build({
    ...COMMON,
    stdin: { contents: entry(withoutHash), loader: 'js', resolveDir: root, sourcefile: 'entry.js' },
    // Names stay: errors and classes read as ever, and shorter ones take as long to parse.
    minifyWhitespace: true,
    minifySyntax: true,
    metafile: true,
    format: 'cjs',
    define: { 'import.meta.url': 'engineAddress' },
    supported: { 'dynamic-import': false },
    // Asked for only on other platforms, and optional: an install may lack them.
    external: ['pg-native', 'pg-cloudflare', 'libpg-query'],
    // In parentheses V8 reads it once; otherwise once before it is called and once more then.
    banner: { js: "(function(require,engineAddress){'use strict';const module={exports:{}};" },
    footer: { js: 'return module.exports})' },
    plugins: [fixedModules(manifest.engine), ...lean()],
  });
  const code = embed(generated.outputFiles[0]!.text);
  // Not `replace`, to which a dollar in the code would mean something.
  const [before, after, ...others] = result.outputFiles[0]!.text.split(GENERATED_CODE);
  if (after === undefined || others.length > 0) throw new Error('the place of the code is not unique');
  const text = `${before}${code}${after}`;
  if (text.split(NO_HASH).length !== 2) throw new Error('the place of the hash is not unique');
  const hash = createHash('sha256').update(text).digest('hex');
  return {
    program: text.replace(NO_HASH, hash),
    manifest: { ...manifest, hash },
    inputs: Object.keys(result.metafile.inputs).sort(),
  };
}

const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20.9',
  format: 'esm',
  legalComments: 'none',
  absWorkingDir: root,
  write: false,
  logLevel: 'silent',
} as const;

/** Run as a program it serves; imported, it says what it holds (`engine verify`). */
function entry(manifest: ArtefactManifest): string {
  return [
    "import { realpathSync } from 'node:fs';",
    "import { fileURLToPath } from 'node:url';",
    `import * as contract from './runtime/core/contract/contract${EXTENSION}';`,
    `import { runArtefact } from './runtime/program/artefact/main${EXTENSION}';`,
    `export const artefact = { manifest: ${JSON.stringify(manifest)}, program: ${GENERATED_CODE}(contract) };`,
    'export async function run() {',
    '  if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))',
    '    await runArtefact(artefact, process.argv.slice(2));',
    '}',
  ].join('\n');
}

/** The imports of generated files, read from the variable that the runtime passes. */
const CONTRACT = `export const { ${Object.keys(contract).join(', ')} } = contract;`;

function generatedFiles(files: ReadonlyMap<string, string>): Plugin {
  return {
    name: GENERATED,
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: new RegExp(`^${GENERATED}:`) }, ({ path }) => ({
        path: path.slice(GENERATED.length + 1),
        namespace: GENERATED,
      }));
      onResolve({ filter: /./, namespace: GENERATED }, ({ path, importer }) =>
        path === 'engine/contract'
          ? { path, namespace: GENERATED }
          : { path: posix.join(posix.dirname(importer), path), namespace: GENERATED },
      );
      onLoad({ filter: /./, namespace: GENERATED }, ({ path }) => ({
        contents: path === 'engine/contract' ? CONTRACT : (files.get(path) ?? ''),
        loader: 'ts',
      }));
    },
  };
}

/** Modules that read files of the package, and modules that an artefact does not use. */
function fixedModules(version: string): Plugin {
  return {
    name: 'fixed',
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/]runtime[\\/]configuration[\\/]package-version\.[jt]s$/ }, () => ({
        contents: `export const packageVersion = ${JSON.stringify(version)};`,
        loader: 'js',
      }));
      onLoad(
        {
          filter:
            /[\\/]runtime[\\/](program[\\/]host-folder|metadata-api[\\/]thread[\\/]host-metadata)\.[jt]s$/,
        },
        () => ({
          contents: 'export const hostFolder = undefined; export const hostMetadata = undefined;',
          loader: 'js',
        }),
      );
      onLoad({ filter: /[\\/]runtime[\\/](http[\\/]graphiql|console[\\/]console)\.[jt]s$/ }, () => ({
        contents: 'export const graphiql = undefined; export const consoleEndpoints = undefined;',
        loader: 'js',
      }));
    },
  };
}
