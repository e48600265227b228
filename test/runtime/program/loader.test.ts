import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { SourceShape } from '../../../runtime/core/contract/shapes.ts';
import { createEvaluator } from '../../../runtime/program/evaluator.ts';
import { LoadError } from '../../../runtime/program/load-error.ts';
import { createLoader, createTranspiler } from '../../../runtime/program/loader.ts';

const source = `import { source } from "engine/contract";
export const main = source({ name: "default", kind: "postgres", types: {} });
`;
const table = (name: string) => `import { table } from "engine/contract";
import { main } from "../source.ts";
export const ${name} = table(main, { schema: "public", name: "${name}", kind: "table", graphqlName: "${name}", columns: {} }, {});
`;
const access = (name: string) => `import { access } from "engine/contract";
import { ${name} } from "./${name}.table.ts";
export const ${name}Access = access(${name}, {});
`;
const index = `import { program } from "engine/contract";
import { main } from "./source.ts";
import { aAccess } from "./public/a.access.ts";
import { bAccess } from "./public/b.access.ts";
export default program({ sources: [main], tables: [aAccess, bAccess], functions: [] });
`;
const files = new Map([
  ['index.ts', index],
  ['source.ts', source],
  ['public/a.table.ts', table('a')],
  ['public/a.access.ts', access('a')],
  ['public/b.table.ts', table('b')],
  ['public/b.access.ts', access('b')],
]);
const changed = (path: string, text: string | undefined) => {
  const next = new Map(files);
  if (text === undefined) next.delete(path);
  else next.set(path, text);
  return next;
};

describe('loading', () => {
  test('yields what index.ts exports, made by the contract', async () => {
    const program = await createLoader().load(files);
    expect(program.sources.map(({ name }: SourceShape) => name)).toEqual(['default']);
    expect(program.tables.map(({ table }) => table.name)).toEqual(['a', 'b']);
    expect(program.tables[0]!.table.source).toBe(program.sources[0]);
  });

  test('again evaluates what changed and what imports it, and nothing else', async () => {
    const loader = createLoader();
    const first = await loader.load(files);
    const same = await loader.load(new Map(files));
    expect(same).toBe(first);
    const next = await loader.load(changed('public/a.table.ts', table('a').replace('"table"', '"view"')));
    expect(next.tables[0]!.table.kind).toBe('view');
    expect(next.tables[1]).toBe(first.tables[1]);
    expect(next.sources[0]).toBe(first.sources[0]);
  });

  test('fails with the name of the file, and what was loaded before stays', async () => {
    const loader = createLoader();
    const first = await loader.load(files);
    const failures: [ReadonlyMap<string, string>, string][] = [
      [changed('public/a.table.ts', 'export const a = ;'), 'public/a.table.ts: '],
      [
        changed('public/a.table.ts', 'export const a = undefinedName;'),
        'public/a.table.ts: undefinedName is not defined',
      ],
      [changed('public/a.table.ts', undefined), 'public/a.table.ts: the file is missing'],
      [changed('index.ts', 'export const program = 1;'), 'index.ts: it has no default export'],
      [changed('source.ts', `import "./index.ts";\n${source}`), 'it imports itself through others'],
    ];
    for (const [broken, message] of failures) {
      const error = await loader.load(broken).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(LoadError);
      expect((error as Error).message).toContain(message);
    }
    expect(await loader.load(files)).toBe(first);
  });

  test('gives generated files nothing but the contract and each other', async () => {
    for (const text of [
      'import { readFileSync } from "node:fs"; export const main = readFileSync;',
      'import pg from "pg"; export const main = pg;',
      'export * from "../outside.js"; export const main = 1;',
      'export const main = require("node:fs");',
    ]) {
      await expect(createLoader().load(changed('source.ts', text))).rejects.toThrow('can be imported');
    }
    await expect(createLoader().load(changed('source.ts', 'export * from "../outside.ts";'))).rejects.toThrow(
      'is missing',
    );
  });
});

test('esbuild ends when there is nothing to transpile, and starts again', async () => {
  const services = () => {
    const { stdout } = spawnSync('ps', ['-A', '-o', 'ppid=,args='], { encoding: 'utf8' });
    const own = stdout.split('\n').filter((line) => line.trim().startsWith(`${process.pid} `));
    return own.filter((line) => line.includes('esbuild') && line.includes('--service')).length;
  };
  const transpiler = createTranspiler(10);
  await transpiler.transpile(files);
  await expect.poll(services).toBe(0);
  const again = await transpiler.transpile(changed('source.ts', source.replace('"default"', '"other"')));
  const { sources } = await createEvaluator().evaluate(again);
  expect(sources[0]!.name).toBe('other');
});
