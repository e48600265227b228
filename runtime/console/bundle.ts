/** Bundles the console's page from its sources and packages: in a build, or, in a checkout, on the first visit. */
import { basename } from 'node:path';
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
  return {
    files: new Map(result.outputFiles.map((file) => [basename(file.path), file.contents])),
    inputs: Object.keys(result.metafile.inputs),
  };
}
