/**
 * `npm run release -- 2.1.0`: makes a release of the commit that is checked out: its section in CHANGELOG.md, the version in package.json, one
 * commit, a tag, the package, and a statement of what the package was made from. CI runs it as it stands; pushing and publishing are left to
 * whoever may do that.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const NOTHING = 'Nothing yet.';

/** A reason not to release, for the person who asked. */
class Refusal extends Error {}

/**
 * The changelog with what is under `## Unreleased` as the section of a version.
 * @param date as in 2026-11-26
 * @throws Refusal if there is no such heading, or nothing below it
 */
export function cutChangelog(text: string, version: string, date: string): string {
  const heading = '## Unreleased\n';
  const start = text.indexOf(heading);
  if (start < 0) throw new Refusal('CHANGELOG.md has no section "## Unreleased".');
  const end = text.indexOf('\n## ', start + heading.length);
  const changes = text.slice(start + heading.length, end < 0 ? undefined : end).trim();
  if (changes === '' || changes === NOTHING)
    throw new Refusal('CHANGELOG.md has nothing under "## Unreleased": say there what users will notice.');
  const rest = end < 0 ? '' : text.slice(end + 1);
  return `${text.slice(0, start)}${heading}\n${NOTHING}\n\n## ${version} (${date})\n\n${changes}\n${rest && `\n${rest}`}`;
}

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

/** Releases the checkout in the current folder. @throws Refusal */
function release(version: string | undefined): void {
  if (version === undefined || !/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    throw new Refusal('Give the new version: npm run release -- 2.1.0');
  if (run('git', 'status', '--porcelain') !== '')
    throw new Refusal('There are changes that are not committed: a release is made of a commit.');
  if (run('git', 'tag', '--list', `v${version}`) !== '') throw new Refusal(`The tag v${version} exists.`);
  const changelog = cutChangelog(
    readFileSync('CHANGELOG.md', 'utf8'),
    version,
    new Date().toISOString().slice(0, 10),
  );
  writeFileSync('CHANGELOG.md', changelog);
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version', '--silent');
  run('git', 'commit', '--quiet', '--all', '--message', `release: ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Version ${version}`);
  const [{ filename }] = JSON.parse(run('npm', 'pack', '--json', '--silent')) as [{ filename: string }];
  const statement = {
    package: filename,
    sha512: createHash('sha512').update(readFileSync(filename)).digest('hex'),
    commit: run('git', 'rev-parse', 'HEAD'),
    lockfile: createHash('sha512').update(readFileSync('package-lock.json')).digest('hex'),
    node: process.version,
    npm: run('npm', '--version'),
  };
  writeFileSync(`${filename}.provenance.json`, `${JSON.stringify(statement, null, 2)}\n`);
  console.log(`v${version} is committed, tagged and packed: ${filename}, ${filename}.provenance.json`);
  console.log(
    `Left to do: git push --follow-tags, and npm publish ${filename} (from CI with --provenance, which signs it).`,
  );
}

if (process.argv[1]?.endsWith('release.ts'))
  try {
    release(process.argv[2]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
