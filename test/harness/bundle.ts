/** Sources as JavaScript that plain Node.js runs, with their packages beside them. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The metadata thread and the compiler, bundled once for a test run: loading their TypeScript takes a second and a half of
 * every server that a test starts. Returns the folder of the bundle, for the caller to remove.
 */
export function bundleThread(): Promise<string> {
  return bundleSources([
    'compiler/index.ts',
    'compiler/review/console.ts',
    'runtime/metadata-api/thread/metadata-thread.ts',
  ]);
}

/**
 * Bundles programs into a folder that mirrors the checkout, for the caller to remove.
 * @param entryPoints paths from the root of the checkout
 * @param checkout absolute; another one than this, with packages of its own
 */
export async function bundleSources(entryPoints: readonly string[], checkout = root): Promise<string> {
  // Below node_modules, where the bundle finds the packages.
  const parent = join(checkout, 'node_modules/.cache');
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'engine-test-'));
  await build({
    absWorkingDir: checkout,
    entryPoints: [...entryPoints],
    outbase: checkout,
    outdir: folder,
    bundle: true,
    // What both need is loaded once.
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [
      {
        name: 'keep-addresses',
        // Templates and messages are read beside the sources.
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/(compiler|runtime)\/.*\.ts$/ }, async ({ path }) => ({
            loader: 'ts',
            contents: (await readFile(path, 'utf8')).replaceAll(
              'import.meta.url',
              JSON.stringify(pathToFileURL(path).href),
            ),
          })),
      },
    ],
  });
  return folder;
}
