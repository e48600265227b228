/** The pages about the code name files and folders that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['compiler', 'examples', 'generated', 'runtime', 'scripts', 'templates', 'test'];

test.each(['architecture', 'how-it-works', 'invariants'])('every path of docs/%s.md exists', (name) => {
  const page = readFileSync(`${root}docs/${name}.md`, 'utf8');
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((path) => basename(path)),
  );
  const names = new Set(files);
  const quoted = [...page.matchAll(/`([^`\s]+)`/g)].map(([, text]) => text!);
  const paths = quoted.filter((text) => FOLDERS.includes(text.split('/')[0]!) && text.includes('/'));
  const bare = quoted.filter((text) => /^[\w-]+\.(?:ts|mjs|json)$/.test(text));
  expect(paths.length + bare.length).toBeGreaterThan(5);
  expect(paths.filter((path) => !existsSync(root + path.replace(/\/\*$/, '')))).toEqual([]);
  expect(bare.filter((name) => !names.has(name) && !existsSync(root + name))).toEqual([]);
});
