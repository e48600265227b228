/** The order in which the tools that write migrations apply their files, and which of them lead back. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/** A folder whose files cannot be brought into an order; the message says what to do. */
export class LayoutError extends Error {
  override readonly name = 'LayoutError';
}

const SQL = /\.sql(\.gz)?$/i;
/** What the folder of one migration holds, whichever tool wrote it. */
const IN_FOLDER = ['up.sql', 'up.sql.gz', 'migration.sql'];
const VERSION = /^v?(\d+(?:\.\d+)*)/i;
/** Migrations that are programs of a tool. */
const PROGRAM = /^(v?\d.*|V\d.*__.*|R__.*)\.([cm]?[jt]s|go|py|rb|java|kt|php|cs|exs?|xml|ya?ml)$/;
const DOWN = /(^|[._-])(down|undo|rollback|revert)(?=[._-])/i;
const WAYS_UP: Readonly<Record<string, readonly string[]>> = {
  down: ['up', ''],
  undo: ['do', ''],
  rollback: ['', 'up', 'migrate'],
  revert: ['', 'up', 'deploy'],
};

/** True if the folder is one migration. */
export function isMigration(folder: string): boolean {
  return filesOf(folder).some((name) => IN_FOLDER.includes(name));
}

/** True if the folder itself has something to apply, or a plan of what to apply. */
export function holdsFiles(folder: string): boolean {
  return filesOf(folder).some((name) => name === 'sqitch.plan' || SQL.test(name) || PROGRAM.test(name));
}

/**
 * The SQL files of a project in the order in which they are applied, without those that lead back.
 * @param folder or a single file
 * @throws LayoutError, NodeJS.ErrnoException
 */
export function listMigrations(folder: string): string[] {
  if (!statSync(folder).isDirectory()) return [folder];
  const plan = [folder, join(folder, '..')].find(
    (place) => existsSync(join(place, 'sqitch.plan')) && (place === folder || /deploy[/\\]*$/.test(folder)),
  );
  if (plan !== undefined) return listPlanned(plan);
  const files = allFilesOf(folder);
  const flyway = files.filter((path) => FLYWAY.test(nameOf(path)));
  if (flyway.some((path) => /^[VB]/.test(nameOf(path)))) {
    refusePrograms(
      folder,
      files.map(nameOf).filter((name) => /^[VR]/.test(name) && PROGRAM.test(name)),
    );
    return orderFlyway(folder, flyway);
  }
  return listPlain(folder);
}

/** Files of the folder by number, then by name, and the files of the folders that are one migration each. */
function listPlain(folder: string): string[] {
  const names = filesOf(folder);
  const nested = foldersOf(folder);
  const own = names.filter((name) => SQL.test(name) && !leadsBack(name, names));
  const isForeign = (name: string) =>
    VERSION.test(name) && !isMigration(join(folder, name)) && isProgram(join(folder, name));
  refusePrograms(folder, [...names.filter((name) => PROGRAM.test(name)), ...nested.filter(isForeign)]);
  const migrations = nested.filter((name) => isMigration(join(folder, name)));
  const others = nested.filter(
    (name) =>
      !migrations.includes(name) &&
      filesOf(join(folder, name)).some((file) => SQL.test(file)) &&
      !isDownOnly(join(folder, name)),
  );
  if (others.length > 0)
    throw new LayoutError(
      own.length + migrations.length > 0
        ? `${folder} holds migrations, and so ${others.length > 1 ? 'do its folders' : 'does its folder'} ${listed(others)}: give as --migrations the folder that is to be applied, and move the other files out of it.`
        : `${folder} holds several folders with SQL, ${listed(others)}: give as --migrations the folder that is to be applied.`,
    );
  return [...own, ...migrations].toSorted(compareVersions).flatMap((name) => {
    const path = join(folder, name);
    if (own.includes(name)) return [path];
    return IN_FOLDER.map((file) => join(path, file)).filter((file) => existsSync(file));
  });
}

function refusePrograms(folder: string, names: readonly string[]): void {
  if (names.length > 0)
    throw new LayoutError(
      `${listed(names)} in ${folder} cannot be applied: only SQL can. Apply the migrations with their tool to a database, and ` +
        'give a dump of it (pg_dump --schema-only) as --migrations, or its catalog (engine introspect, then --catalog FILE).',
    );
}

function isDownOnly(folder: string): boolean {
  return filesOf(folder).every((name) => !SQL.test(name) || leadsBack(name, []));
}

/** An `up.yaml` with SQL in it, or an `up` or `index` that is a program. */
function isProgram(folder: string): boolean {
  return filesOf(folder).some(
    (name) =>
      /^(up|index|migration)\.([cm]?[jt]s|go|py|rb)$/.test(name) ||
      (/^up\.ya?ml$/.test(name) && /\brun_sql\b/.test(readFileSync(join(folder, name), 'utf8'))),
  );
}

/** `down.sql`, `….down.sql`, and files beside one that leads forth, such as `1_x-down.sql` beside `1_x-up.sql`. */
function leadsBack(name: string, beside: readonly string[]): boolean {
  if (/(^|\.)(down|undo)\.sql(\.gz)?$/i.test(name)) return true;
  const word = DOWN.exec(name)?.[2]?.toLowerCase();
  if (word === undefined) return false;
  return WAYS_UP[word]!.some((other) =>
    beside.includes(name.replace(DOWN, (_, before: string) => (other === '' ? '' : `${before}${other}`))),
  );
}

/** By the numbers that a name begins with, whatever their length, then by name. */
function compareVersions(left: string, right: string): number {
  const [first, second] = [left, right].map((name) => VERSION.exec(name)?.[1]);
  const order = first !== undefined && second !== undefined ? compareNumbers(first, second) : 0;
  return order || (left < right ? -1 : left > right ? 1 : 0);
}

function compareNumbers(left: string, right: string): number {
  const [first, second] = [left, right].map((text) => text.split(/[._]/).map(BigInt));
  for (let index = 0; index < Math.max(first!.length, second!.length); index += 1) {
    const [one, other] = [first![index] ?? 0n, second![index] ?? 0n];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Versioned, baseline, undo and repeatable migrations of Flyway, and the callbacks around them. */
const FLYWAY = /^(?:([VBU])(\d+(?:[._]\d+)*)|R)__.*\.sql$|^(before|after)Migrate(?:__.*)?\.sql$/;

/** From the last baseline on, as on an empty database; repeatable ones come last, by description. */
function orderFlyway(folder: string, paths: readonly string[]): string[] {
  const migrations = paths.map((path) => {
    const name = nameOf(path);
    const [, kind, version = '', callback] = FLYWAY.exec(name)!;
    const step = { before: 0, after: 3 }[callback ?? ''] ?? (kind === undefined ? 2 : 1);
    return { path, name, kind, version, step };
  });
  const versions = migrations.filter(({ kind }) => kind === 'B').map(({ version }) => version);
  const baseline = versions.toSorted(compareNumbers).at(-1);
  const twice = migrations.find(({ kind, version }, index) =>
    migrations.some(
      (each, other) =>
        other < index && kind === 'V' && each.kind === kind && compareNumbers(each.version, version) === 0,
    ),
  );
  if (twice)
    throw new LayoutError(
      `Two migrations in ${folder} have the version ${twice.version}: ${twice.name} is one of them. Give each a version of its own.`,
    );
  return migrations
    .filter(({ kind, version }) => {
      if (kind === 'U') return false;
      if (baseline === undefined || kind === undefined) return true;
      const order = compareNumbers(version, baseline);
      return kind === 'B' ? order === 0 : order > 0;
    })
    .toSorted((left, right) => {
      const order =
        left.step - right.step || (left.step === 1 ? compareNumbers(left.version, right.version) : 0);
      return order || (left.name < right.name ? -1 : 1);
    })
    .map(({ path }) => path);
}

/** The deploy scripts of a plan of Sqitch, in its order. A change that was made anew has its former script named after a tag. */
function listPlanned(folder: string): string[] {
  const plan = join(folder, 'sqitch.plan');
  const lines = readFileSync(plan, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('%'));
  const entries = lines.map((line) => {
    const [, tag, name] = /^(?:@(\S+)|\+?\s*(\S+))/.exec(line)!;
    return { tag, name };
  });
  const top = topFolder(folder);
  return entries.flatMap(({ name }, index) => {
    if (name === undefined || name.startsWith('-')) return [];
    const again = entries.findIndex((each, other) => other > index && each.name === name);
    const tag =
      again < 0 ? undefined : entries.slice(index, again).find((each) => each.tag !== undefined)?.tag;
    const file = join(folder, top, 'deploy', `${name}${tag === undefined ? '' : `@${tag}`}.sql`);
    if (!existsSync(file))
      throw new LayoutError(
        `${plan} names the change "${name}", and there is no ${relative(folder, file)} beside it. Give as --migrations the folder of the plan, with its scripts in deploy/.`,
      );
    return [file];
  });
}

/** `top_dir` of the project's configuration. */
function topFolder(folder: string): string {
  const file = join(folder, 'sqitch.conf');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return /^\s*top_dir\s*=\s*"?([^"#;\r\n]+?)"?\s*$/m.exec(text)?.[1] ?? '.';
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

function filesOf(folder: string): string[] {
  return entriesOf(folder, (path) => statSync(path).isFile());
}

/** Folders below it that are not hidden. */
export function foldersOf(folder: string): string[] {
  return entriesOf(folder, (path) => statSync(path).isDirectory()).filter((name) => !name.startsWith('.'));
}

function entriesOf(folder: string, is: (path: string) => boolean): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name)) && is(join(folder, name)))
    .sort();
}

function allFilesOf(folder: string): string[] {
  return [
    ...filesOf(folder).map((name) => join(folder, name)),
    ...foldersOf(folder).flatMap((name) => allFilesOf(join(folder, name))),
  ];
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `"${name}"`);
  return `${shown.join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}
