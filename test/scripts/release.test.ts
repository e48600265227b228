/** `npm run release` in a repository of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { eachInFolder } from '../harness/folder.ts';

const folder = eachInFolder();
const script = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url));
const tsx = createRequire(import.meta.url).resolve('tsx');

const release = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', tsx, script, ...args], { cwd: folder.at('.'), encoding: 'utf8' });
const git = (...args: string[]) =>
  execFileSync(
    'git',
    ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'init.defaultBranch=main', ...args],
    { cwd: folder.at('.'), encoding: 'utf8' },
  ).trim();

beforeEach(() => {
  folder.write('package.json', JSON.stringify({ name: 'p', version: '1.0.0', files: ['a.txt'] }));
  folder.write('package-lock.json', JSON.stringify({ name: 'p', version: '1.0.0', lockfileVersion: 3 }));
  folder.write('.gitignore', '*.tgz\n*.provenance.json\n');
  folder.write('a.txt', 'a');
  folder.write(
    'CHANGELOG.md',
    '# Changelog\n\n## Unreleased\n\n- New: b.\n\n## 1.0.0 (2020-01-01)\n\n- a.\n',
  );
  git('init', '--quiet');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
});

test('a release is one commit, one tag, a package and what it was made from', () => {
  const { status, stderr } = release('1.1.0');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(readFileSync(folder.at('CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changelog\n\n## Unreleased\n\nNothing yet\.\n\n## 1\.1\.0 \(\d{4}-\d\d-\d\d\)\n\n- New: b\.\n\n## 1\.0\.0 \(2020-01-01\)\n\n- a\.\n$/,
  );
  expect(JSON.parse(readFileSync(folder.at('package.json'), 'utf8')).version).toBe('1.1.0');
  expect(git('log', '--format=%s')).toBe('release: 1.1.0\nfirst');
  expect(git('rev-parse', 'v1.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
  expect(git('status', '--porcelain')).toBe('');
  const statement = JSON.parse(readFileSync(folder.at('p-1.1.0.tgz.provenance.json'), 'utf8'));
  expect(statement).toMatchObject({ package: 'p-1.1.0.tgz', commit: git('rev-parse', 'HEAD') });
  expect(release('1.2.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('nothing under') });
});

test('what cannot be released is said, and nothing changes', () => {
  expect(release()).toMatchObject({ status: 2, stderr: expect.stringContaining('Give the new version') });
  expect(release('1.1')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('Give the new version'),
  });
  git('tag', 'v1.1.0');
  expect(release('1.1.0')).toMatchObject({ status: 2, stderr: 'The tag v1.1.0 exists.\n' });
  folder.write('a.txt', 'b');
  expect(release('1.3.0')).toMatchObject({ status: 2, stderr: expect.stringContaining('not committed') });
  expect(git('log', '--format=%s')).toBe('first');
});
