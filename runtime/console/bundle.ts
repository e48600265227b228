/** Bundles the console's page from its sources and packages: in a build, or, in a checkout, on the first visit. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BundledPage } from '../http/graphiql/bundle.ts';

export async function bundleConsole(): Promise<BundledPage> {
  const result = await build({
    entryPoints: { page: fileURLToPath(new URL('page/main.tsx', import.meta.url)) },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    outdir: 'console',
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  // Loaded when the picture of the model is first opened. It is minified, and needs no other file.
  const worker = createRequire(import.meta.url).resolve('elkjs/lib/elk-worker.min.js');
  return {
    files: new Map<string, Uint8Array>([
      ...result.outputFiles.map((file) => [basename(file.path), file.contents] as const),
      ['elk-worker.js', await readFile(worker)],
    ]),
    inputs: [...Object.keys(result.metafile.inputs), relative(process.cwd(), worker)],
  };
}
