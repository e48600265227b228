/**
 * `npm run build`: makes `dist/`: the programs, bundled, at places that mirror the checkout with the files that they read (templates,
 * messages, pages); JavaScript of `runtime/`, of which artefacts are made; declarations; the query page. `npm pack` runs it; a
 * checkout needs no build, because it runs its TypeScript through tsx.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundleConsole } from '../runtime/console/bundle.ts';
import { type BundledPage, bundlePage } from '../runtime/http/graphiql/bundle.ts';
import { bundlePackages, licensesOf } from './bundle-packages.ts';
import { bundlePrograms, isProgram } from './bundle-programs.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');

/** Files that the programs read at run time, besides their code: from the top of the checkout. */
const READ = /^templates\/|\.(hbs|md|html|sql)$/;

rmSync(dist, { recursive: true, force: true });
compileSources();
importBuiltDeclarations();
copyReadFiles();
writePackageFile();
dropInnerDeclarations();
const bundled = [
  ...(await bundlePrograms(root, dist)),
  ...(await bundlePackages(root, dist)),
  ...writePage('runtime/http/graphiql/assets', await bundlePage()),
  ...writePage('runtime/console/assets', await bundleConsole()),
];
dropBundledSources();
writeFileSync(join(dist, 'LICENSES.txt'), licensesOf(root, bundled));

function compileSources(): void {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

/** tsc rewrites `.ts` in the imports of JavaScript, not in those of declarations. */
function importBuiltDeclarations(): void {
  for (const path of filesOf(dist)) {
    if (!path.endsWith('.d.ts')) continue;
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(/((?:from |import\()["']\.{1,2}\/[^"']*)\.ts(["'])/g, '$1.js$2'));
  }
}

function copyReadFiles(): void {
  for (const folder of ['templates', 'compiler', 'runtime']) {
    for (const path of filesOf(join(root, folder))) {
      const name = relative(root, path);
      if (!READ.test(name)) continue;
      const target = join(dist, name);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(path, target);
    }
  }
}

/** What the code reads of its package: the version, and that files are modules. */
function writePackageFile(): void {
  const { version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    type: string;
  };
  writeFileSync(join(dist, 'package.json'), `${JSON.stringify({ version, type }, null, 2)}\n`);
}

/** Compressed, because monaco is large. Returns the paths of the packages' files that are in the page. */
function writePage(path: string, { files, inputs }: BundledPage): readonly string[] {
  const folder = join(dist, path);
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of files)
    writeFileSync(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
  return inputs.filter((path) => path.startsWith('node_modules/'));
}

/** The compiler's files are in the bundle; those of the runtime are what artefacts are made of. */
function dropBundledSources(): void {
  for (const path of filesOf(join(dist, 'compiler')))
    if (path.endsWith('.js') && !isProgram(relative(dist, path))) rmSync(path);
}

/** Keeps the declarations that the package's two exports lead to. */
function dropInnerDeclarations(): void {
  const kept = new Set<string>();
  const keep = (path: string) => {
    if (kept.has(path)) return;
    kept.add(path);
    for (const [, imported] of readFileSync(path, 'utf8').matchAll(
      /(?:from |import\()["'](\.{1,2}\/[^"']*)\.js["']/g,
    ))
      keep(join(dirname(path), `${imported}.d.ts`));
  };
  for (const entry of ['compiler/index.d.ts', 'runtime/core/contract/contract.d.ts']) keep(join(dist, entry));
  for (const path of filesOf(dist)) if (path.endsWith('.d.ts') && !kept.has(path)) rmSync(path);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
