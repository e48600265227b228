import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));

const ENTRIES = [
  'compiler/cli/cli.ts',
  'runtime/server/serve-command.ts',
  'runtime/server/main.ts',
  'runtime/metadata-api/thread/metadata-thread.ts',
] as const;

let imports: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...ENTRIES],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    splitting: true,
    outdir: 'unwritten',
    packages: 'external',
    logLevel: 'silent',
  });
  imports = new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [
      path,
      imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
    ]),
  );
});

/** What a module imports, directly or through others, and not on demand. */
function loadedWith(entry: (typeof ENTRIES)[number]): readonly string[] {
  const found = new Set<string>([entry]);
  // A set that grows while it is walked: what is added is walked as well.
  for (const path of found) for (const imported of imports.get(path) ?? []) found.add(imported);
  return [...found];
}

test.each(ENTRIES)('%s is read with what it imports', (entry) => {
  expect(loadedWith(entry).length).toBeGreaterThan(10);
});

test('the command line loads no phase of the compiler and no graphql before a command needs it', () => {
  const heavy = loadedWith('compiler/cli/cli.ts').filter((path) =>
    /^(compiler\/phases\/|graphql$)/.test(path),
  );
  expect(heavy).toEqual([]);
});

test('the metadata thread is started before graphql, the compiler or the rest of the server are loaded', () => {
  const heavy = loadedWith('runtime/server/serve-command.ts').filter((path) =>
    /^(compiler\/|runtime\/core\/request\/|graphql$|fastify$|pg$)/.test(path),
  );
  expect(heavy).toEqual([]);
});

test('what serves loads neither esbuild nor the compiler', () => {
  const heavy = loadedWith('runtime/server/main.ts').filter((path) => /^(compiler\/|esbuild$)/.test(path));
  expect(heavy).toEqual([]);
});

test('the metadata thread connects before it loads the engine of the metadata API', () => {
  const heavy = loadedWith('runtime/metadata-api/thread/metadata-thread.ts').filter((path) =>
    /^(graphql$|esbuild$|runtime\/metadata-api\/(operations|change)\/)/.test(path),
  );
  expect(heavy).toEqual([]);
});
