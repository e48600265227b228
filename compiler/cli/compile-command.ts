/** `engine compile`: metadata and catalogs to a folder of generated files. */

import { messages } from '../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic, hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { describeConnectionError } from '../../runtime/database/connection-error.ts';
import { LoadError } from '../../runtime/program/load-error.ts';
import { createLoader } from '../../runtime/program/loader.ts';
import { type CompileResult, compile } from '../index.ts';
import { type Progress, startProgress } from '../offline/progress.ts';
import { provePlan } from '../offline/proof.ts';
import { type CommandContext, UsageError } from './command.ts';
import type { Format } from './commands/declaration.ts';
import { isDifferent, reportCompile } from './compile-report.ts';
import { type EnvironmentVariable, environmentVariables } from './environment.ts';
import { compareFolder, type Difference, writeFolder } from './output-folder.ts';
import { type Project, type ProjectOptions, withProject } from './project.ts';

export interface CompileOptions extends ProjectOptions {
  readonly out: string;
  readonly check?: boolean;
  readonly strict?: boolean;
  /** Writes what can be served, although there are errors. */
  readonly allowInconsistent?: boolean;
  /** Has the databases prove the SQL; always done with migrations. */
  readonly prove?: boolean;
  /** Environment variables that are not set are errors. */
  readonly checkEnvironment?: boolean;
  /** Type-checks the generated code, besides loading it. */
  readonly checkTypes?: boolean;
  /** Lints the permissions as well; a text is the configuration's file. */
  readonly lint?: true | string;
  readonly format: Format;
}

/** Input without which there is nothing worth writing: the folder stays as it is. */
const UNREADABLE = new Set([
  'source-unreachable',
  'metadata-file-unreadable',
  'metadata-json-invalid',
  'metadata-version-unsupported',
]);

/** Runs the command and returns its exit status: 0, or 1 for errors in the input, findings of the lint and stale files. */
export async function compileCommand(options: CompileOptions, context: CommandContext): Promise<number> {
  const lint = options.lint === undefined ? undefined : await openLint(options.lint);
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const { read } = project;
    const compiled = await compileProject(project, options, context, progress);
    const { result, diagnostics, defects } = compiled;
    if (lint) progress.step('linting');
    const linted = result && lint?.(result, project);
    progress.end();
    const refused = hasErrors(diagnostics) && !options.allowInconsistent;
    const isWhole = !refused && !isUnreadable(diagnostics) && defects.length === 0;
    const difference = result && isWhole ? finish(options, result) : undefined;
    const check = options.check ?? false;
    const { format, out } = options;
    reportCompile({ ...compiled, format, out, check, context, origin: read.origin, difference, linted });
    const stale = check && difference !== undefined && isDifferent(difference);
    const found = linted !== undefined && linted.findings.length > 0;
    return hasErrors(diagnostics) || defects.length > 0 || stale || found ? 1 : 0;
  });
}

/** Loaded only when it is asked for. @throws LintConfigurationError */
async function openLint(file: true | string) {
  const { lintCompiled, lintConfigurationOf } = await import('./lint-command.ts');
  const configuration = lintConfigurationOf(file === true ? {} : { config: file });
  return (result: CompileResult, project: Project) => lintCompiled(result, project, configuration);
}

/** True if there is nothing to write. */
export function isUnreadable(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ code }) => UNREADABLE.has(code));
}

export interface CompiledProject {
  /** Absent when there was nothing to compile against. */
  readonly result: CompileResult | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Errors of the generated code, which are ours. */
  readonly defects: readonly string[];
  readonly environment: readonly EnvironmentVariable[];
  readonly proved: number | undefined;
  /** Subjects of the refused statements. */
  readonly refused: readonly string[];
}

/** Compiles, proves and checks a project. @throws UsageError if the SQL must be proved and there is no database */
export async function compileProject(
  project: Project,
  options: Pick<CompileOptions, 'strict' | 'prove' | 'checkEnvironment' | 'checkTypes' | 'migrations'>,
  context: CommandContext,
  progress: Progress,
): Promise<CompiledProject> {
  const { read, input, obstacles } = project;
  const environment = environmentVariables(read.value);
  const missing = options.checkEnvironment ? missingVariables(environment, project, context) : [];
  const before = [...read.diagnostics, ...missing, ...obstacles];
  const judge = (diagnostics: readonly Diagnostic[]) => judgeKeys(diagnostics, options.strict ?? false);
  if (obstacles.length > 0)
    return {
      result: undefined,
      diagnostics: judge(before),
      defects: [],
      environment,
      proved: undefined,
      refused: [],
    };
  progress.step('compiling');
  const result = compile(input);
  const proof =
    options.prove || options.migrations !== undefined || project.made.size > 0
      ? await prove(project, result, progress)
      : undefined;
  progress.step('loading the generated code');
  const defects = await loadDefects(result);
  if (options.checkTypes) {
    progress.step('checking the types of the generated code');
    defects.push(...(await typeDefects(result)));
  }
  return {
    result,
    diagnostics: judge([...before, ...result.diagnostics, ...(proof?.diagnostics ?? [])]),
    defects,
    environment,
    proved: proof?.count,
    refused: proof?.refused ?? [],
  };
}

/** Evaluates the generated code as a server does: every name in it is looked up. Takes a hundredth of a type check. */
async function loadDefects({ programFiles }: CompileResult): Promise<string[]> {
  try {
    await createLoader().load(programFiles);
    return [];
  } catch (error) {
    if (error instanceof LoadError) return [error.message];
    throw error;
  }
}

async function typeDefects({ files }: CompileResult): Promise<string[]> {
  const { checkTypes } = await import('./type-check.ts');
  return checkTypes(files).map(({ file, line, message }) => `${file}:${line}: ${message}`);
}

async function prove({ read, databases }: Project, result: CompileResult, progress: Progress) {
  if (databases.size === 0 && result.state.plan.sources.length > 0)
    throw new UsageError(
      'A saved catalog cannot prove the SQL, only a database can: give --migrations, or --source NAME=URL.',
    );
  progress.step('proving the generated SQL');
  try {
    return await provePlan(result.state.plan, databases, read.value, read.origin);
  } catch (error) {
    throw new UsageError(`The SQL cannot be proved: ${describeConnectionError(error)}.`);
  }
}

/** With --strict, what has no effect because its key is unknown is an error. */
function judgeKeys(diagnostics: readonly Diagnostic[], strict: boolean): Diagnostic[] {
  return diagnostics.map((diagnostic) =>
    strict && diagnostic.code === 'unknown-key' ? { ...diagnostic, severity: 'error' } : diagnostic,
  );
}

function missingVariables(
  variables: readonly EnvironmentVariable[],
  { read: { origin } }: Project,
  { environment }: CommandContext,
): Diagnostic[] {
  return variables
    .filter(({ name }) => environment[name] === undefined)
    .map(({ name, users }) => {
      const path = users[0]!;
      const location = origin.locate(path);
      const problem = messages.environmentVariableMissing({
        name,
        users: users.map((user) => origin.describe(user)).join(', '),
      });
      return { ...at(path, problem), ...(location && { location }) };
    });
}

function finish({ check, out }: CompileOptions, { files }: CompileResult): Difference {
  return check ? compareFolder(out, files) : writeFolder(out, files);
}
