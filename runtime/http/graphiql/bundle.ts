/**
 * Bundles GraphiQL from its packages, for its own page and for the console's: in a build, or, in a checkout, on the first visit (about
 * two seconds).
 */
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface BundledPage {
  /** The files that the page loads, by name. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Paths of the source files that are in them, from the working folder. */
  readonly inputs: readonly string[];
}

export async function bundlePage(): Promise<BundledPage> {
  // Monaco belongs to @graphiql/react; its workers must be of the very same copy.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@graphiql/react/package.json'));
  const result = await build({
    entryPoints: {
      page: fileURLToPath(new URL('page.jsx', import.meta.url)),
      frame: fileURLToPath(new URL('frame.jsx', import.meta.url)),
      'editor-worker': resolve('monaco-editor/esm/vs/editor/editor.worker.js'),
      'json-worker': resolve('monaco-editor/esm/vs/language/json/json.worker.js'),
      'graphql-worker': resolve('monaco-graphql/esm/graphql.worker.js'),
    },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    outdir: 'graphiql',
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.ttf': 'file', '.woff2': 'dataurl' },
    // GraphiQL's "prettify" imports them by names that lead to CommonJS, whose exports it then does not find.
    alias: {
      'prettier/parser-graphql': 'prettier/plugins/graphql',
      'prettier/parser-babel': 'prettier/plugins/babel',
    },
  });
  return {
    files: new Map(result.outputFiles.map((file) => [basename(file.path), file.contents])),
    inputs: Object.keys(result.metafile.inputs),
  };
}
