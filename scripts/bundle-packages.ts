/**
 * Bundles packages of the runtime into `dist/packages/`, and makes its built files, of which artefacts are made, import them there.
 * What they publish is many times what we use of it (zod: 8 MB, of which 0.2 MB run), and their own dependencies come in versions
 * that were not tested with ours.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/** Development dependencies of ours. Everything else that the built files import is a dependency of the package. */
const BUNDLED = ['croner', 'diff', 'lru-cache', 'prom-client', 'zod'];
/** What packages in the older form expect to be there. */
const COMMONJS = [
  "import{createRequire as engineRequire}from'node:module';",
  "import{fileURLToPath as enginePath}from'node:url';",
  'const require=engineRequire(import.meta.url),__filename=enginePath(import.meta.url),',
  "__dirname=enginePath(new URL('.',import.meta.url));",
].join('');

/** @param root the checkout; @returns the paths of the packages' files that went in, from the checkout */
export async function bundlePackages(root: string, dist: string): Promise<readonly string[]> {
  const folder = join(dist, 'packages');
  const { metafile } = await build({
    entryPoints: BUNDLED.map((name) => ({ in: `package:${name}`, out: fileName(name) })),
    outdir: folder,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    target: 'node20.9',
    format: 'esm',
    legalComments: 'none',
    metafile: true,
    // An uncaught error prints the line that threw it.
    lineLimit: 200,
    banner: { js: COMMONJS },
    plugins: [await everyExport(root)],
  });
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (/\.(js|d\.ts)$/.test(path) && !/^(packages|bundle)\//.test(path)) linkPackages(dist, path);
  return Object.keys(metafile.inputs).filter((path) => path.startsWith('node_modules/'));
}

/** @throws Error if an import of a bundled package is left: it would be missing where the package is installed */
function linkPackages(dist: string, path: string): void {
  const text = readFileSync(join(dist, path), 'utf8');
  const linked = path.endsWith('.d.ts')
    ? text
    : text.replaceAll(/(^import .*|^\}) from ['"]([^'".][^'"]*)['"];/gm, (all, start, name) => {
        if (!BUNDLED.includes(name)) return all;
        return `${start} from "${relative(dirname(path), `packages/${fileName(name)}.js`)}";`;
      });
  for (const [, name] of linked.matchAll(/(?:from|import|require)\b ?\(? ?['"]([^'".][^'"]*)['"]/g))
    if (BUNDLED.includes(name!)) throw new Error(`dist/${path} imports the bundled package ${name}`);
  if (linked !== text) writeFileSync(join(dist, path), linked);
}

function fileName(name: string): string {
  return name.replace('@', '').replaceAll('/', '-');
}

/** An entry for each package that exports what the package exports: names of older packages are known only by loading them. */
async function everyExport(root: string): Promise<Plugin> {
  const entries = new Map<string, string>();
  for (const name of BUNDLED) {
    const exported = Object.keys(await import(name)).filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
    entries.set(name, `export { ${exported.join(', ')} } from ${JSON.stringify(name)};`);
  }
  return {
    name: 'every-export',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^package:/ }, ({ path }) => ({
        path: path.slice('package:'.length),
        namespace: 'package',
      }));
      onLoad({ filter: /./, namespace: 'package' }, ({ path }) => ({
        contents: entries.get(path)!,
        resolveDir: root,
      }));
    },
  };
}

/** The licenses of the packages whose files these are, in one text. */
export function licensesOf(root: string, inputs: readonly string[]): string {
  const packages = new Set(inputs.map((path) => /^(?:.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(path)![0]));
  return [...packages]
    .sort()
    .map((path) => {
      const folder = join(root, path);
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const files = readdirSync(folder).filter((file) => /^licen[cs]e/i.test(file));
      const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
      return [`${name} ${version} (${license})`, ...texts].join('\n\n');
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`)
    .concat('\n');
}
