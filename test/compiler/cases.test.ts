/**
 * Every folder of test/cases is a case: `schema.sql` and `metadata.json` (or `metadata/`) compile to `expected/` with the
 * diagnostics of `diagnostics/`, a file for each code. `ENGINE_UPDATE=1 npx vitest run test/compiler/cases.test.ts` accepts what is now
 * generated. A case may have `options.json` with further input of the compile.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkTypes } from '../../compiler/cli/type-check.ts';
import { type CompileInput, compile } from '../../compiler/index.ts';
import { readMetadataFile } from '../../compiler/phases/1-read/index.ts';
import { linkProgram } from '../../runtime/core/program/program.ts';
import { proofsOf } from '../../runtime/core/program/proof.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { catalogsOf } from '../harness/compile.ts';
import { leftOutDifference } from '../harness/left-out-rules.ts';
import { createTestDatabase } from '../harness/postgres.ts';

const folder = fileURLToPath(new URL('../cases', import.meta.url));
const update = process.env.ENGINE_UPDATE === '1';
const accept = 'accept with ENGINE_UPDATE=1 npx vitest run test/compiler/cases.test.ts';

// The cases of audits and of the lint have runners of their own.
describe.each(
  readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, 'schema.sql')))
    .sort(),
)('%s', (name) => {
  const place = join(folder, name);

  test('compiles to what is expected', async () => {
    const { result, read } = await compileCase(place);
    const diagnostics = [...read.diagnostics, ...result.diagnostics].map(
      ({ location, because, ...rest }) => ({
        at: read.origin.describe(rest.path),
        ...(location && { line: `${location.line}:${location.column}` }),
        ...rest,
        path: undefined,
        // Its location names the file by where the project lies.
        ...(because && { because: { code: because.code, at: read.origin.describe(because.path) } }),
      }),
    );
    // The manifest holds the version and what the other files say.
    const files = new Map(
      [...result.files].filter(([path]) => path !== 'manifest.json' && path !== 'README.md'),
    );
    for (const code of new Set(diagnostics.map((diagnostic) => diagnostic.code))) {
      const all = diagnostics.filter((diagnostic) => diagnostic.code === code);
      files.set(`../diagnostics/${code}.json`, `${JSON.stringify(all, null, 2)}\n`);
    }
    if (update) writeExpected(place, files);
    for (const [path, text] of files)
      expect(text, `${name}/${path}: ${accept}`).toBe(readExpected(place, path));
    expect([...files.keys()].sort(), accept).toEqual(listExpected(place));
  });

  test('gives code that type-checks and loads', async () => {
    const { result } = await compileCase(place);
    expect(checkTypes(result.files)).toEqual([]);
    const program = await createLoader().load(result.files);
    const { sources } = result.state.plan;
    expect(program.tables.length).toBe(sources.reduce((sum, { tables }) => sum + tables.length, 0));
    // What the generated code says is what was planned, to the character, whatever the names and literals hold.
    for (const [index, planned] of sources.flatMap(({ tables }) => tables).entries()) {
      const { table, ...rules } = program.tables[index]!;
      expect(rules).toEqual(planned.access);
      expect(table).toEqual(planned.shape);
    }
  });

  test('says in ledgers which rules statements leave out', async () => {
    const { result } = await compileCase(place);
    const options = { inferFunctionPermissions: true };
    const program = linkProgram(await createLoader().load(result.files), options);
    expect(leftOutDifference(program, result.state.plan.ledgers)).toEqual([]);
  });

  test('gives statements that Postgres accepts', async () => {
    const { result, database } = await compileCase(place);
    const failures: string[] = [];
    for (const { text } of proofsOf(await createLoader().load(result.files))) {
      const statement = `prepare proof as ${text}; deallocate proof`;
      await database.query(statement).catch((error: Error) => failures.push(`${text}\n${error.message}`));
    }
    expect(failures).toEqual([]);
  });
});

async function compileCase(place: string) {
  const database = await createTestDatabase(readFileSync(join(place, 'schema.sql'), 'utf8'));
  const file = existsSync(join(place, 'metadata')) ? 'metadata' : 'metadata.json';
  const read = readMetadataFile(join(place, file));
  const options: Partial<CompileInput> = existsSync(join(place, 'options.json'))
    ? JSON.parse(readFileSync(join(place, 'options.json'), 'utf8'))
    : {};
  const catalogs = await catalogsOf(read.value, database.url);
  const result = compile({ metadata: read.value, catalogs, origin: read.origin, ...options });
  return { result, read, database };
}

function readExpected(place: string, path: string): string {
  const file = join(place, 'expected', path);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function listExpected(place: string): string[] {
  const root = join(place, 'expected');
  return [root, join(place, 'diagnostics')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function writeExpected(place: string, files: ReadonlyMap<string, string>): void {
  for (const folder of ['expected', 'diagnostics'])
    rmSync(join(place, folder), { recursive: true, force: true });
  for (const [path, text] of files) {
    const file = join(place, 'expected', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
