/** The arrows of docs/architecture.md are refused by lint: each forbidden import is reported, each permitted one is not. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** By importing file: imports that lint permits, and imports that it refuses. */
const ARROWS: Readonly<Record<string, { permitted: readonly string[]; refused: readonly string[] }>> = {
  'runtime/core/a.ts': {
    permitted: ['./errors.ts', './query/select.ts', 'graphql', 'node:crypto'],
    refused: [
      '../observe/logs/observe.ts',
      '../database/record/install.ts',
      '../metadata/values.ts',
      '../../compiler/index.ts',
      'node:fs',
    ],
  },
  'runtime/core/query/a.ts': {
    permitted: ['../errors.ts', './select.ts', '../mutation/step.ts', 'node:crypto'],
    refused: [
      '../../observe/logs/logger.ts',
      '../../graphql/execute.ts',
      '../../../compiler/index.ts',
      'node:fs',
    ],
  },
  'runtime/metadata/a.ts': {
    permitted: ['../core/errors.ts', '../catalog/catalog.ts', '../core/diagnostics/result.ts', './values.ts'],
    refused: ['../outgoing/validation/validator.ts', '../server/main.ts', '../../compiler/index.ts'],
  },
  'runtime/metadata/kinds/a.ts': {
    permitted: ['../../core/errors.ts', '../values.ts', './table.ts'],
    refused: ['../../database/pool.ts', '../../observe/logs/logger.ts', '../../../compiler/index.ts'],
  },
  'runtime/http/a.ts': {
    permitted: ['../core/errors.ts', '../graphql/execute.ts'],
    refused: ['../../compiler/index.ts', '../../compiler/model/plan.ts'],
  },
  'compiler/index.ts': {
    permitted: ['./phases/3-resolve/index.ts', '../runtime/core/contract/contract.ts'],
    refused: [
      '../runtime/database/record/schema.ts',
      '../runtime/server/main.ts',
      './cli/cli.ts',
      './review/findings/render.ts',
    ],
  },
  'compiler/model/a.ts': {
    permitted: ['../../runtime/core/contract/shapes.ts', './plan.ts'],
    refused: [
      '../../runtime/events/deliver.ts',
      '../../runtime/observe/logs/observe.ts',
      '../offline/proof.ts',
    ],
  },
  'compiler/phases/4-plan/a.ts': {
    permitted: [
      '../../../runtime/core/contract/shapes.ts',
      '../../memory/memory.ts',
      '../3-resolve/index.ts',
    ],
    refused: [
      '../../../runtime/http/errors.ts',
      '../../../runtime/configuration/version.ts',
      '../../review/findings/render.ts',
    ],
  },
};

test('lint refuses imports against the arrows, and no others', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'arrows-')));
  try {
    const configuration = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ ...configuration, vcs: { enabled: false } }));
    const expected: string[] = [];
    for (const [file, { permitted, refused }] of Object.entries(ARROWS)) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      const imports = [...permitted, ...refused];
      writeFileSync(join(folder, file), imports.map((each) => `import '${each}';\n`).join(''));
      expected.push(...refused.map((each) => `${file}: ${each}`));
    }
    expect(refusedImports(folder).sort()).toEqual(expected.sort());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** `file: import` of each report of the rule. */
function refusedImports(folder: string): string[] {
  const biome = join(root, 'node_modules/.bin/biome');
  const args = ['lint', '--only=style/noRestrictedImports', '--reporter=github', '--max-diagnostics=none'];
  let output = '';
  try {
    output = execFileSync(biome, args, {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    output = (error as { stdout: string }).stdout;
  }
  return [...output.matchAll(/file=([^,]+),line=(\d+)/g)].map(([, path, line]) => {
    const file = relative(folder, join('/', path!));
    const text = readFileSync(join(folder, file), 'utf8').split('\n')[Number(line) - 1]!;
    return `${file}: ${/'([^']+)'/.exec(text)![1]}`;
  });
}
