/** `engine test`: permissions tried on an embedded PostgreSQL. */

import { readFileSync, writeFileSync } from 'node:fs';
import pg from 'pg';
import type { SourceCatalog } from '../../runtime/catalog/catalog.ts';
import { hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { compile } from '../index.ts';
import { startProgress } from '../offline/progress.ts';
import { offsetOfPosition } from '../offline/sql-file.ts';
import { openTrialDatabases } from '../offline/trial-databases.ts';
import { readCases } from '../review/permission-tests/cases.ts';
import { testPermissions } from '../review/permission-tests/index.ts';
import { countChecks, junitXml, mutationScore, testText } from '../review/permission-tests/report.ts';
import { suggestionText } from '../review/permission-tests/suggest.ts';
import type { TrialDatabase } from '../review/permission-tests/trial.ts';
import { readBaseMetadata } from './base-metadata.ts';
import { type CommandContext, UsageError } from './command.ts';
import { besideMetadata, compileReadable, type ProjectOptions, withProject } from './project.ts';

export interface TestOptions extends ProjectOptions {
  /** YAML file, or a folder of them. */
  readonly cases?: string;
  /** SQL file with rows for the tests; SOURCE=FILE with several sources. */
  readonly seed?: readonly string[];
  readonly isolation: boolean;
  readonly mutations: boolean;
  /** File for cases that would notice what nothing notices; `-`: standard output. */
  readonly suggest?: string;
  /** Metadata of an earlier version: a path, or a revision of git. */
  readonly base?: string;
  /** Percent; a lower score fails. */
  readonly minimumScore?: number;
  readonly junit?: string;
  /** Inconsistent objects, which are left out, are no failure. */
  readonly allowInconsistent?: boolean;
}

/** Runs the command and returns its exit status: 1 when a check fails, or an object is inconsistent. @throws CasesError, UsageError */
export function testCommand(options: TestOptions, context: CommandContext): Promise<number> {
  if (options.base !== undefined && !options.isolation)
    throw new UsageError('--base runs the isolation checks of an earlier version: leave out --no-isolation.');
  const given = options.migrations ?? options.catalog;
  const where = given === undefined ? besideMetadata() : {};
  if (given === undefined && where.migrations === undefined && where.catalog === undefined)
    throw new UsageError(
      'What to test on? Give --migrations, or --catalog for tables made after a saved catalog (engine introspect).',
    );
  const cases = options.cases === undefined ? [] : readCases(options.cases);
  const progress = startProgress(context);
  return withProject({ ...options, ...where }, context, progress, async (project) => {
    const { origin: _, ...input } = project.input;
    const result = compileReadable(project, context, progress);
    if (!result) return 1;
    const base =
      options.base === undefined
        ? undefined
        : {
            label: options.base,
            compiled: compile({
              ...input,
              metadata: readBaseMetadata(options.base, options.metadata, context.vocabulary),
            }),
          };
    const catalogs = input.catalogs as Readonly<Record<string, SourceCatalog>>;
    const { databases, close } = await openTrialDatabases(catalogs, project.made);
    try {
      await seed(databases, options.seed ?? []);
      const tested = await testPermissions({
        compiled: result,
        compile: (metadata) => compile({ ...input, metadata }, result),
        catalogs,
        serving: input.serving,
        cases,
        databases,
        isolation: options.isolation,
        mutations: options.mutations || options.suggest !== undefined,
        suggest: options.suggest !== undefined,
        ...(base && { base }),
        say: progress.step,
      });
      progress.end();
      context.stdout(testText(tested));
      if (options.suggest === '-') context.stdout(`\n${suggestionText(tested.suggestions)}`);
      else if (options.suggest !== undefined)
        writeFileSync(options.suggest, suggestionText(tested.suggestions));
      if (options.junit !== undefined) writeFileSync(options.junit, junitXml(tested));
      const score = mutationScore(tested.mutations);
      const isLow = options.minimumScore !== undefined && score !== undefined && score < options.minimumScore;
      if (isLow) context.stderr(`The mutation score of ${score} % is below ${options.minimumScore} %.\n`);
      const isRefused = hasErrors(result.diagnostics) && !options.allowInconsistent;
      return countChecks(tested).failed > 0 || isLow || isRefused ? 1 : 0;
    } finally {
      await close();
    }
  });
}

async function seed(databases: ReadonlyMap<string, TrialDatabase>, files: readonly string[]): Promise<void> {
  for (const entry of files) {
    const [, source = [...databases.keys()][0]!, file = entry] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    const database = databases.get(source);
    if (!database) throw new UsageError(`The metadata has no source "${source}" to seed.`);
    const sql = readFileSync(file, 'utf8');
    try {
      await database.prepare((trial) => trial.run(sql));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      const at = error.position === undefined ? undefined : offsetOfPosition(sql, Number(error.position));
      const line = at === undefined ? '' : ` in line ${sql.slice(0, at).split('\n').length}`;
      throw new UsageError(`PostgreSQL refused ${file}${line} for source "${source}": ${error.message}.`);
    }
  }
}
