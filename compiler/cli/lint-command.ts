/** `engine lint`: permissions by which real systems leaked. */
import { existsSync } from 'node:fs';
import { groupByCause } from '../../runtime/core/diagnostics/causes.ts';
import { type Diagnostic, hasErrors } from '../../runtime/core/diagnostics/diagnostic.ts';
import { type CompileResult, compile, version } from '../index.ts';
import { startProgress } from '../offline/progress.ts';
import { renderAnnotations } from '../review/findings/annotations.ts';
import { readMessages } from '../review/findings/messages.ts';
import { describeDiagnostics, renderDiagnostics } from '../review/findings/render.ts';
import { findingsOf, renderSarif, sarifRules } from '../review/findings/sarif.ts';
import {
  applyAllowances,
  DEFAULT_PUBLIC_ROLES,
  type LintConfiguration,
  readLintConfiguration,
} from '../review/lint/configuration.ts';
import { LINT_CODES, lint } from '../review/lint/index.ts';
import { placeTables } from '../review/lint/place.ts';
import type { CommandContext } from './command.ts';
import type { Format } from './commands/declaration.ts';
import { type Project, type ProjectOptions, withProject } from './project.ts';

export interface LintOptions extends ProjectOptions {
  readonly config?: string;
  /** Names separated by commas. */
  readonly sessionVariables?: string;
  readonly publicRoles?: string;
  readonly format: Format;
}

/** Read when it is there and --config names no other. */
const DEFAULT_CONFIGURATION = 'engine-lint.yaml';

/** Runs the command and returns its exit status: 1 when something is reported. @throws LintConfigurationError, UsageError */
export function lintCommand(options: LintOptions, context: CommandContext): Promise<number> {
  const configuration = lintConfigurationOf(options);
  const progress = startProgress(context);
  return withProject(options, context, progress, async ({ read, input, obstacles }) => {
    progress.step('compiling');
    const result = obstacles.length > 0 ? undefined : compile(input);
    progress.end();
    const errors = [...read.diagnostics, ...obstacles, ...(result?.diagnostics ?? [])].filter(
      ({ severity }) => severity === 'error',
    );
    const linted = result
      ? lintCompiled(result, { read, input }, configuration)
      : { findings: [], allowed: 0, permissions: 0 };
    const found = [...errors, ...linted.findings];
    report(found, linted, options.format, read.origin.describe, context);
    return found.length > 0 ? 1 : 0;
  });
}

export interface Linted {
  readonly findings: readonly Diagnostic[];
  /** Findings that the configuration allows. */
  readonly allowed: number;
  /** Permissions that were looked at. */
  readonly permissions: number;
}

/** Lints what was compiled. */
export function lintCompiled(
  { state }: CompileResult,
  { read, input }: Pick<Project, 'read' | 'input'>,
  configuration: LintConfiguration,
): Linted {
  const placed = placeTables(read.value, state.model, state.plan, input.catalogs);
  const { remaining, allowed } = applyAllowances(lint(placed, configuration), configuration.allow);
  return {
    findings: remaining.map((diagnostic) => locate(diagnostic, read.origin.locate)),
    allowed,
    permissions: placed.tables.reduce((sum, { permissions }) => sum + permissions.length, 0),
  };
}

/** @throws LintConfigurationError */
export function lintConfigurationOf({
  config,
  sessionVariables,
  publicRoles,
}: Pick<LintOptions, 'config' | 'sessionVariables' | 'publicRoles'>): LintConfiguration {
  const file = config ?? (existsSync(DEFAULT_CONFIGURATION) ? DEFAULT_CONFIGURATION : undefined);
  const base =
    file === undefined
      ? { publicRoles: DEFAULT_PUBLIC_ROLES, allow: [] }
      : readLintConfiguration(file, LINT_CODES);
  const list = (text: string) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
  return {
    ...base,
    ...(sessionVariables !== undefined && { sessionVariables: list(sessionVariables) }),
    ...(publicRoles !== undefined && { publicRoles: list(publicRoles) }),
  };
}

function locate(
  diagnostic: Diagnostic,
  find: (path: Diagnostic['path']) => Diagnostic['location'],
): Diagnostic {
  const location = diagnostic.location ?? find(diagnostic.path);
  return location ? { ...diagnostic, location } : diagnostic;
}

function report(
  found: readonly Diagnostic[],
  { allowed, permissions }: Linted,
  format: Format,
  describe: (path: Diagnostic['path']) => string,
  { stdout, stderr }: CommandContext,
): void {
  switch (format) {
    case 'json':
      stdout(`${JSON.stringify({ findings: describeDiagnostics(found, describe), allowed }, null, 2)}\n`);
      return;
    case 'sarif':
      stdout(renderSarif(findingsOf(found, describe), sarifRules(readMessages()), version));
      return;
    case 'annotations':
      stdout(renderAnnotations(findingsOf(found, describe)));
      break;
    case 'text':
      stdout(renderDiagnostics(found, describe));
  }
  const counts = new Map<string, number>();
  const causes = groupByCause(found);
  for (const { diagnostic } of causes) counts.set(diagnostic.code, (counts.get(diagnostic.code) ?? 0) + 1);
  const list = [...counts]
    .sort(([, left], [, right]) => right - left)
    .map(([code, number]) => `  ${String(number).padStart(4)}  ${code}`);
  const kept = allowed > 0 ? `, ${allowed} allowed` : '';
  const following = found.length - causes.length;
  if (following > 0) list.push(`  ${String(following).padStart(4)}  that follow from these`);
  const summary = hasErrors(found)
    ? 'The metadata has errors; what they leave out was not looked at.'
    : `${found.length === 0 ? 'Nothing' : found.length} found in ${permissions} permissions${kept}.`;
  (format === 'text' ? stdout : stderr)(
    `${[...list, ...(list.length > 0 ? [''] : []), summary].join('\n')}\n`,
  );
  if (found.length > 0 && format === 'text') {
    const meant = found.some(({ code }) => LINT_CODES.has(code))
      ? ` What is meant goes into ${DEFAULT_CONFIGURATION}, with a reason.`
      : '';
    const others = counts.size > 1 ? ', as for the other codes' : '';
    stderr(`engine explain ${causes[0]!.diagnostic.code} says more${others}.${meant}\n`);
  }
}
