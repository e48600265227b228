/** Generated code as its readers want it: what is served, and where each rule is written. Nothing of it is run. */

import { readFactName } from '../../../runtime/catalog/object-facts.ts';
import type { TableAccess } from '../../../runtime/core/contract/shapes.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { linkProgram, type Program, type Table } from '../../../runtime/core/program/program.ts';
import type { GeneratedProgram } from '../../../runtime/core/program/resolvers.ts';
import { jsonProblem } from '../../../runtime/core/reasons.ts';
import { lazy } from '../../../runtime/core/remember.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { editedFiles } from '../../../runtime/program/manifest.ts';
import type { PlannedDatabase, SettingFact } from '../../model/plan.ts';
import { unprovedFacts } from './facts.ts';
import { type Literals, readLiterals } from './literals.ts';
import { GeneratedCodeError, type GeneratedTexts, readGeneratedTexts } from './place.ts';
import { differingStatements } from './replan.ts';

export interface GeneratedCode {
  /** The name that the command line gave. */
  readonly label: string;
  readonly generated: GeneratedProgram;
  readonly program: Program;
  /** The roles' access to a table, as its files declare it. */
  readonly accessOf: (table: Table) => TableAccess;
  /** Every role that a rule, a function or an allow-list names, sorted; `admin` is not among them. */
  readonly roles: readonly string[];
  /** File and line of an object of the generated code, with the folder's path. */
  readonly locate: (value: object) => Location | undefined;
  /** Resolvers written by hand: no audit knows what they do. */
  readonly foreign: readonly Location[];
  /** Files that are not as the compiler wrote them, with what happened to each; none for an artefact, which has no manifest. */
  readonly edited: readonly string[];
  /** What the databases do by themselves, by source; none of code that does not say it. */
  readonly databases: ReadonlyMap<string, PlannedDatabase>;
  /** Settings that no served file holds; undefined for code that does not say them. */
  readonly settingFacts: readonly SettingFact[] | undefined;
  /** Saved operations whose statements are not what the rules beside them give: `collection.name`. */
  readonly differing: readonly string[];
  /** Relationships along which a rule is left out that does not follow: `role: table, relationship`. */
  readonly unproved: readonly string[];
  /** What was read, for the next version; absent for code that was not printed. */
  readonly read?: ReadTexts;
}

type ReadTexts = Literals['read'] & {
  /** By the text of its file. */
  readonly databaseTexts: ReadonlyMap<string, PlannedDatabase>;
};

/**
 * Reads a folder of generated code, or one of a git revision; `folder` is where a revision has it.
 * @param previous another version, to compare with: values of files that are the same in both are identical
 * @throws GeneratedCodeError
 */
export function readGeneratedCode(
  place: string,
  folder = 'generated',
  previous?: GeneratedCode,
): GeneratedCode {
  return readTexts(readGeneratedTexts(place, folder), previous);
}

/** Like readGeneratedCode, for texts. @throws GeneratedCodeError */
export function readTexts(
  { label, folder, files, entry, isFresh }: GeneratedTexts,
  previous?: GeneratedCode,
): GeneratedCode {
  const { exports, locate, foreign, read } = readLiterals(files, entry, previous?.read);
  const databaseTexts = readDatabases(files, previous?.read);
  const inFolder = (location: Location): Location => ({ ...location, file: `${folder}/${location.file}` });
  return linkCode({
    label,
    generated: exports.default as GeneratedProgram,
    locate: (object) => {
      const location = locate(object);
      return location && inFolder(location);
    },
    foreign: foreign.map(inFolder),
    edited: (isFresh ? undefined : editedFiles(files)) ?? [],
    databases: [...databaseTexts.values()],
    settingFacts: readSettings(files),
    // An artefact keeps the statements of the roles that it was built for.
    replans: entry === undefined,
    read: { ...read, databaseTexts },
    previous,
  });
}

function readSettings(files: GeneratedTexts['files']): GeneratedCode['settingFacts'] {
  const path = 'settings.json';
  const text = files.get(path);
  return text === undefined
    ? undefined
    : readJson<{ settings: GeneratedCode['settingFacts'] }>(path, text).settings;
}

function readDatabases(
  files: GeneratedTexts['files'],
  { databaseTexts: known }: Partial<ReadTexts> = {},
): Map<string, PlannedDatabase> {
  return new Map(
    [...files].flatMap(([path, text]) =>
      /^sources\/[^/]+\/database\.json$/.test(path)
        ? [[text, known?.get(text) ?? readDatabase(path, text)] as const]
        : [],
    ),
  );
}

/** Every fact is of a kind that audits know: one that they do not know would be compared by nobody. @throws GeneratedCodeError */
function readDatabase(path: string, text: string): PlannedDatabase {
  const database = readJson<PlannedDatabase>(path, text);
  try {
    for (const { facts } of Object.values(database.objects)) for (const fact in facts) readFactName(fact);
  } catch (error) {
    throw new GeneratedCodeError(
      `${path}: ${(error as Error).message}. It is from another version of Engine: compile again with this one.`,
    );
  }
  return database;
}

/** @throws GeneratedCodeError */
function readJson<Value>(path: string, text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    throw new GeneratedCodeError(
      `${path} is not JSON: ${jsonProblem(text)}. Compile again, or undo the edit.`,
    );
  }
}

/**
 * The code of a program that was not printed has no places.
 * @param replans plan saved operations again, to find those whose statements differ
 */
export function linkCode({
  label,
  generated,
  locate = () => undefined,
  foreign = [],
  edited = [],
  databases = [],
  settingFacts,
  replans = false,
  read,
  previous,
}: Pick<GeneratedCode, 'label' | 'generated'> &
  Partial<Pick<GeneratedCode, 'locate' | 'foreign' | 'edited'>> & {
    readonly databases?: readonly PlannedDatabase[];
    readonly settingFacts?: GeneratedCode['settingFacts'];
    readonly replans?: boolean;
    readonly read?: GeneratedCode['read'];
    readonly previous?: GeneratedCode | undefined;
  }): GeneratedCode {
  const { options } = generated.saved ?? {};
  const program = linkProgram(
    generated,
    { inferFunctionPermissions: options?.inferFunctionPermissions ?? true },
    previous?.program,
  );
  const roles = new Set(program.roles);
  for (const { roles: allowed } of generated.saved?.allowlist ?? [])
    for (const role of allowed ?? []) roles.add(role);
  roles.delete(ADMIN_ROLE);
  const differing = lazy(() =>
    replans ? differingStatements(generated).map(({ collection, name }) => `${collection}.${name}`) : [],
  );
  const unproved = lazy(() => unprovedFacts(program));
  return {
    label,
    generated,
    program,
    accessOf: program.access,
    roles: [...roles].sort(),
    locate,
    foreign,
    edited,
    databases: new Map(databases.map((database) => [database.source, database])),
    settingFacts,
    ...(read && { read }),
    get differing() {
      return differing();
    },
    get unproved() {
      return unproved();
    },
  };
}
