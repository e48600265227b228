/** Pages that are made from the code are up to date, and every link and every page or heading that is named exists. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { run } from '../../compiler/cli/cli.ts';
import { operations } from '../../runtime/metadata-api/request/registry.ts';
import { stalePages } from '../../scripts/docs/generate.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

function filesBelow(folder: string, extension: RegExp): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => extension.test(path) && !/node_modules|\/assets\//.test(path))
    .map((path) => `${folder}/${path}`);
}

const pages = [...filesBelow('docs', /\.md$/), 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];

/** Anchors of a page's headings, by GitHub's rule. */
function anchorsOf(page: string): ReadonlySet<string> {
  const text = read(page).replace(/^```.*?^```/gms, '');
  const counts = new Map<string, number>();
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
    const plain = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!);
  return new Set([...anchors, ...named]);
}

/** What is wrong with a link of a page; undefined if nothing is. */
function problemOf(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : relative(root, join(root, dirname(page), decodeURI(path)));
  if (!existsSync(join(root, file))) return `${page}: ${target} does not exist`;
  if (anchor === undefined || statSync(join(root, file)).isDirectory() || !file.endsWith('.md'))
    return undefined;
  return anchorsOf(file).has(anchor) ? undefined : `${page}: ${target} is no heading`;
}

test('generated pages are what the code says (npm run generate:docs)', () => {
  expect(stalePages()).toEqual([]);
});

test('the index names every page', () => {
  const index = read('docs/README.md');
  const files = filesBelow('docs', /\.md$/).map((path) => path.replace('docs/', ''));
  expect(files.filter((file) => file !== 'README.md' && !index.includes(`](${file})`))).toEqual([]);
});

test('the README has at most 900 words', () => {
  expect(read('README.md').split(/\s+/).length).toBeLessThanOrEqual(900);
});

test('the page of commands names every command', async () => {
  let help = '';
  const stdout = (text: string) => {
    help += text;
  };
  await run(['--help'], { environment: {}, stdout, stderr: () => {} });
  const commands = [...help.split('Commands:')[1]!.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name!);
  expect(commands.length).toBeGreaterThan(15);
  const page = read('docs/commands.md');
  expect(commands.filter((name) => name !== 'help' && !page.includes(`\`engine ${name}`))).toEqual([]);
});

describe('links', () => {
  test.each(pages)('of %s lead somewhere', (page) => {
    const text = read(page)
      .replace(/^```.*?^```/gms, '')
      .replace(/`[^`\n]*`/g, '');
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
    const own = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(own.map((target) => problemOf(page, target)).filter(Boolean)).toEqual([]);
  });

  test('that code, messages and templates name exist', () => {
    const sources = ['runtime', 'compiler', 'templates', 'examples', 'scripts', 'test'].flatMap((folder) =>
      filesBelow(folder, /\.(ts|tsx|mjs|md|hbs|ya?ml|sql)$/),
    );
    const named = sources.flatMap((source) =>
      [...read(source).matchAll(/\bdocs\/[a-z/-]+\.md(?:#[\w-]+)?/g)].map(
        ([target]) => `${target} (${source})`,
      ),
    );
    expect(named.length).toBeGreaterThan(30);
    const wrong = named.filter((each) => problemOf('README.md', each.split(' ')[0]!) !== undefined);
    expect(wrong).toEqual([]);
  });

  test('of the metadata API to its operations exist', () => {
    const anchors = anchorsOf('docs/metadata-api.md');
    const named = operations.map(({ name }) => name);
    expect(named.filter((name) => !anchors.has(name))).toEqual([]);
  });
});
