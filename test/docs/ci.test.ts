import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../compiler/cli/cli.ts';

const docs = (file: string) =>
  readFileSync(fileURLToPath(new URL(`../../docs/${file}`, import.meta.url)), 'utf8');

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly run?: string; readonly uses?: string }[] }>
  >;
}

const workflow = parse(/```yaml\n([\s\S]*?)```/.exec(docs('ci.md'))![1]!) as Workflow;
const commands = Object.values(workflow.jobs)
  .flatMap(({ steps }) => steps.flatMap(({ run: script = '' }) => script.split('\n')))
  .filter((line) => line.startsWith('npx engine '));

async function help(...command: string[]): Promise<string> {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  await run([...command, '--help'], { environment: {}, stdout: write, stderr: write });
  return output;
}

test('the workflow has every step of a review', () => {
  const names = commands.map((line) => line.split(' ')[2]);
  expect(new Set(names)).toEqual(new Set(['compile', 'lint', 'test', 'audit', 'check', 'build']));
});

test.each(commands)('its commands and options exist: %s', async (line) => {
  const words = line
    .replace(/ >>? .*/, '')
    .split(' ')
    .slice(2);
  const command = words[0] === 'audit' ? words.slice(0, 2) : words.slice(0, 1);
  const text = await help(...command);
  expect(text).toContain(`Usage: engine ${command.join(' ')}`);
  for (const option of words.filter((word) => word.startsWith('--'))) expect(text).toContain(option);
});
