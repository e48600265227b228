/** `engine role`: proposes the permissions of a role by whose the rows are, writes them with cases that prove them, shows a role. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { OPERATIONS } from '../../runtime/core/contract/aspects.ts';
import { type Diagnostic, hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import { keyOf, objectKey } from '../../runtime/core/names.ts';
import type { Json } from '../../runtime/metadata/metadata.ts';
import { startProgress } from '../offline/progress.ts';
import { openTrialDatabases } from '../offline/trial-databases.ts';
import { exportMetadata, readMetadataFile } from '../phases/1-read/index.ts';
import type { DeclaredCase } from '../review/permission-tests/cases.ts';
import { runDeclared } from '../review/permission-tests/declared.ts';
import { plannerOf } from '../review/permission-tests/subjects.ts';
import { insertIntoLists, type ListEntries } from '../scaffold/role/insert-yaml.ts';
import { type ProposedRole, proposeRole } from '../scaffold/role/propose-role.ts';

import { casesText, type RoleCase, roleCases } from '../scaffold/role/role-cases.ts';
import { proposedRoleText } from '../scaffold/role/role-text.ts';
import { type Anchor, PathError } from '../scaffold/role/ways.ts';
import { type CommandContext, UsageError } from './command.ts';
import { compileReadable, type Project, type ProjectOptions, withProject } from './project.ts';

export interface RoleAddOptions extends ProjectOptions {
  readonly owner?: string;
  readonly tenant?: string;
  readonly path?: readonly string[];
  readonly write?: boolean;
  readonly cases: string;
}

/** Where the lint looks for what is allowed. */
const LINT_CONFIGURATION = 'engine-lint.yaml';

/** Prints the ledger of a role. Returns the exit status. @throws UsageError */
export function roleShowCommand(
  role: string,
  options: ProjectOptions,
  context: CommandContext,
): Promise<number> {
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const result = compileReadable(project, context, progress);
    if (!result) return 1;
    const text = result.files.get(`roles/${role}.txt`);
    if (text !== undefined) {
      context.stdout(text);
      return 0;
    }
    const roles = [...result.files.keys()].flatMap((path) => /^roles\/(.+)\.txt$/.exec(path)?.[1] ?? []);
    const near = nearest(role, roles);
    throw new UsageError(
      `The role "${role}" has no permissions. ${near === undefined ? `Roles that have: ${roles.join(', ') || 'none'}.` : `Did you mean "${near}"?`}`,
    );
  });
}

/** Proposes the permissions of a role, and writes them if that is asked for. Returns the exit status. @throws UsageError */
export function roleAddCommand(
  role: string,
  options: RoleAddOptions,
  context: CommandContext,
): Promise<number> {
  const anchors = readAnchors(options, context);
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const result = compileReadable(project, context, progress);
    if (!result) return 1;
    if (hasErrors(result.diagnostics)) {
      context.stderr('Correct these errors first: rules are made for what is served.\n');
      return 1;
    }
    progress.step('following foreign keys');
    const proposed = propose(project, result, { role, anchors, paths: options.path ?? [] });
    progress.step('trying the rules with rows of two owners');
    const tried = await tryCases(role, project, proposed);
    progress.end();
    context.stdout(proposedRoleText(role, proposed, tried));
    if (tried.failed.length > 0) {
      context.stderr('Nothing was written: the rules did not hold what they promise.\n');
      return 1;
    }
    if (!options.write) {
      context.stdout(
        '\nNothing was written. --write puts these permissions into the metadata, with their cases.\n',
      );
      return 0;
    }
    const written = write(role, project, options, proposed, tried.cases);
    context.stdout(
      written.length === 0 ? '\nThere is nothing to write.\n' : `\nWritten: ${written.join(', ')}\n`,
    );
    return 0;
  });
}

function propose(
  { input }: Project,
  result: Parameters<typeof proposeRole>[1],
  request: Parameters<typeof proposeRole>[2],
): ProposedRole {
  try {
    return proposeRole(input, result, request);
  } catch (error) {
    if (error instanceof PathError) throw new UsageError(error.message);
    throw error;
  }
}

/** `public.users.id=X-Engine-User-Id` @throws UsageError */
function readAnchors({ owner, tenant }: RoleAddOptions, { vocabulary }: CommandContext): Anchor[] {
  if (owner === undefined && tenant === undefined)
    throw new UsageError(
      `Whose are the rows? Give --owner TABLE.COLUMN=VARIABLE, such as public.users.id=X-Engine-User-Id, or --tenant.`,
    );
  const anchors = (
    [
      ['owner', owner],
      ['tenant', tenant],
    ] as const
  ).flatMap(([kind, text]): Anchor[] => {
    if (text === undefined) return [];
    const [, place = '', variable = ''] = /^(.+)=([^=]+)$/.exec(text) ?? [];
    const parts = place.match(/"(?:[^"]|"")+"|[^."]+/g) ?? [];
    const names = parts.map((part) => part.replace(/^"(.*)"$/s, '$1').replaceAll('""', '"'));
    const [column, table, schema = 'public', ...more] = names.toReversed();
    if (column === undefined || table === undefined || more.length > 0)
      throw new UsageError(`--${kind} is written TABLE.COLUMN=VARIABLE or SCHEMA.TABLE.COLUMN=VARIABLE.`);
    if (vocabulary.toCanonical(variable) === undefined)
      throw new UsageError(
        `--${kind}: "${variable}" is no session variable: its name begins with "X-${vocabulary.word}-".`,
      );
    return [{ kind, table: objectKey(schema, table), column, variable }];
  });
  const [first, second] = anchors;
  if (
    first &&
    second &&
    (first.table === second.table || first.variable.toLowerCase() === second.variable.toLowerCase())
  )
    throw new UsageError('--owner and --tenant name different tables and different variables.');
  return anchors;
}

interface Tried {
  readonly cases: readonly RoleCase[];
  /** Tables for which there are no cases, and why. */
  readonly without: readonly string[];
  /** What came instead of what was expected. */
  readonly failed: readonly string[];
}

/** Runs the cases on a database of the migrations, or made after the catalog: never on one that is served. */
async function tryCases(
  role: string,
  { input, made: databases }: Project,
  { source, proposals, compiled }: ProposedRole,
): Promise<Tried> {
  const catalogs = input.catalogs as Readonly<Record<string, SourceCatalog>>;
  const made = roleCases(role, source, catalogs[source]!, proposals, compiled);
  const without = made.without.map((table) => `${table}: its rows require each other`);
  if (made.cases.length === 0) return { cases: [], without, failed: [] };
  const trials = await openTrialDatabases(catalogs, databases);
  try {
    const planner = plannerOf(compiled.state.plan, input.serving);
    const cases: RoleCase[] = [];
    const failed: string[] = [];
    for (const each of made.cases) {
      const declared = { ...each.body, file: '', line: 0 } as unknown as DeclaredCase;
      const problem = await runDeclared(declared, planner, trials.databases);
      if (problem === undefined) cases.push(each);
      // A refusal, by a check of the database for instance, says nothing about the rules.
      else (problem.isRefusal ? without : failed).push(`${each.body.name}: ${problem.text}`);
    }
    return { cases, without, failed };
  } finally {
    await trials.close();
  }
}

/** Writes permissions, cases and allowances. Returns the paths. @throws UsageError */
function write(
  role: string,
  { read, input }: Project,
  options: RoleAddOptions,
  { source, proposals, metadata, indexes }: ProposedRole,
  cases: readonly RoleCase[],
): string[] {
  const files = new Map<string, ListEntries[]>();
  const sources = read.value.sources.find(({ name }) => name === source)!;
  for (const { table, permissions } of proposals) {
    const lists = Object.fromEntries(
      OPERATIONS.flatMap((operation) => {
        const permission = permissions[operation];
        return permission ? [[`${operation}_permissions`, [{ role, permission } as Json]]] : [];
      }),
    );
    if (Object.keys(lists).length === 0) continue;
    const entry = sources.tables.find((each) => keyOf(each.table) === table.key)!;
    const place = read.origin.locate(entry.path);
    if (!place) throw new UsageError('The files of the metadata cannot be found.');
    files.set(place.file, [...(files.get(place.file) ?? []), { place, lists }]);
  }
  if (files.size === 0) return [];
  const before = new Map([...files.keys()].map((file) => [file, readFileSync(file, 'utf8')]));
  for (const [file, entries] of files) writeFileSync(file, insertIntoLists(before.get(file)!, entries));
  const { value, diagnostics } = readMetadataFile(options.metadata, input);
  if (hasErrors(diagnostics) || !isDeepStrictEqual(exportMetadata(value), exportMetadata(metadata))) {
    for (const [file, text] of before) writeFileSync(file, text);
    throw new UsageError(
      `The permissions could not be put into ${[...files.keys()].join(', ')} as they are written; the files are as they were.${errorsText(diagnostics)}`,
    );
  }
  const written = [...files.keys()];
  if (cases.length > 0) {
    const path = freePath(options.cases, role);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, casesText(role, cases), { flag: 'wx' });
    written.push(path);
  }
  if (indexes.length > 0) {
    allowWithoutIndex(indexes);
    written.push(LINT_CONFIGURATION);
  }
  return written;
}

function errorsText(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(({ message }) => ` ${message}`).join('');
}

/** `tests/user.yaml`, or one with a number that is not there yet. */
function freePath(folder: string, role: string): string {
  const name = role.replaceAll(/[^\p{L}\p{N}_-]/gu, '_');
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${name}${number === 1 ? '' : `_${number}`}.yaml`);
    if (!existsSync(path)) return path;
  }
}

/** Rules that search without an index are allowed until there is one; the lint then says that the allowance is not needed. */
function allowWithoutIndex(indexes: ProposedRole['indexes']): void {
  const text = existsSync(LINT_CONFIGURATION) ? readFileSync(LINT_CONFIGURATION, 'utf8') : '';
  const known =
    (parse(text) as { allow?: readonly { rule: string; table?: string; column?: string }[] } | null)?.allow ??
    [];
  const added = indexes
    .filter(
      ({ table, column }) =>
        !known.some(
          (each) =>
            each.rule === 'rule-column-without-index' && each.table === table && each.column === column,
        ),
    )
    .map(({ table, column, statement }) => ({
      rule: 'rule-column-without-index',
      table,
      column,
      reason: `until there is one: ${statement}`,
    }));
  const whole = text.trim() === '' ? 'allow: []\n' : text;
  writeFileSync(LINT_CONFIGURATION, insertIntoLists(whole, [{ lists: { allow: added } }]));
}
