/** The final report of `engine compile`: for a person, for tools, for a code host. */

import { groupByCause } from '../../runtime/core/diagnostics/causes.ts';
import type { Diagnostic } from '../../runtime/core/diagnostics/diagnostic.ts';
import type { Origin } from '../../runtime/metadata/origin.ts';
import { type CompileResult, version } from '../index.ts';
import { renderAnnotations } from '../review/findings/annotations.ts';
import { readMessages } from '../review/findings/messages.ts';
import { describeDiagnostics, renderDiagnostics } from '../review/findings/render.ts';
import { findingsOf, renderSarif, type SarifFinding, sarifRules } from '../review/findings/sarif.ts';
import type { CommandContext } from './command.ts';
import type { Format } from './commands/declaration.ts';
import type { EnvironmentVariable } from './environment.ts';
import type { Linted } from './lint-command.ts';
import type { Difference, SourceVersions } from './output-folder.ts';

export interface CompileOutcome {
  readonly format: Format;
  readonly out: string;
  readonly check: boolean;
  readonly context: CommandContext;
  readonly origin: Origin;
  /** Absent when there was nothing to compile against. */
  readonly result: CompileResult | undefined;
  readonly diagnostics: readonly Diagnostic[];
  readonly defects: readonly string[];
  readonly environment: readonly EnvironmentVariable[];
  /** Statements that Postgres has prepared; absent when it was not asked. */
  readonly proved: number | undefined;
  /** Absent when nothing was written or compared. */
  readonly difference: Difference | undefined;
  /** Absent unless the lint was requested. */
  readonly linted?: Linted | undefined;
  /** Something else than the generated files is written, and told by who writes it. */
  readonly built?: true;
}

const DEFECT =
  'The generated code is not valid. This is a defect of Engine, not of your project; please report it.';
/** Code of a finding that does not concern the metadata. */
const DEFECT_CODE = 'defect';
const STALE_CODE = 'stale-file';

export function reportCompile(outcome: CompileOutcome): void {
  const { context, format } = outcome;
  switch (format) {
    case 'text':
      reportText(outcome);
      break;
    case 'json':
      context.stdout(jsonReport(outcome));
      break;
    case 'sarif':
      context.stdout(renderSarif(findings(outcome), sarifRules(readMessages()), version));
      break;
    case 'annotations':
      context.stdout(renderAnnotations(findings(outcome)));
      reportSummary({ ...outcome, context: { ...context, stdout: context.stderr } });
  }
}

function findings(outcome: CompileOutcome): SarifFinding[] {
  const { defects, origin, check, difference, out } = outcome;
  const stale = check ? [...(difference?.changed ?? []), ...(difference?.extra ?? [])] : [];
  const reasons = (path: string) =>
    (difference?.versions ?? [])
      .filter(({ source }) => path === `sources/${source}/source.ts`)
      .map((each) => versionsText(out, each));
  return [
    ...findingsOf(reported(outcome), origin.describe),
    ...defects.map((defect) => ({
      rule: DEFECT_CODE,
      level: 'error' as const,
      message: `${DEFECT}\n${defect}`,
    })),
    ...stale.map((path) => ({
      rule: STALE_CODE,
      level: 'error' as const,
      message: ['This file is not what the metadata compiles to.', ...reasons(path)].join('\n'),
      location: { file: `${out}/${path}`, line: 1, column: 1 },
    })),
  ];
}

/** Views and the SQL that suits them differ from version to version, so the files do. */
function versionsText(out: string, { source, compiledFor, now }: SourceVersions): string {
  return (
    `The source "${source}" in ${out} was compiled for PostgreSQL ${compiledFor}, and is checked with ${now}: ` +
    'compile and check with the same, such as the embedded one (--migrations in both).'
  );
}

/** The diagnostics, followed by the lint findings. */
function reported({ diagnostics, linted }: CompileOutcome): readonly Diagnostic[] {
  return linted ? [...diagnostics, ...linted.findings] : diagnostics;
}

function jsonReport(outcome: CompileOutcome): string {
  const { context, origin, result, linted, defects, environment, proved, check, difference } = outcome;
  const answer = {
    diagnostics: describeDiagnostics(reported(outcome), origin.describe),
    defects,
    environment: environment.map(({ name, users }) => ({
      name,
      set: context.environment[name] !== undefined,
      users: users.map(origin.describe),
    })),
    ...(proved !== undefined && { proved }),
    ...(linted && { linted: { findings: linted.findings.length, allowed: linted.allowed } }),
    files: result?.files.size ?? 0,
    [check ? 'stale' : 'written']: difference?.changed ?? [],
    [check ? 'extra' : 'deleted']: difference?.extra ?? [],
    ...(check && difference && difference.versions.length > 0 && { versions: difference.versions }),
  };
  return `${JSON.stringify(answer, null, 2)}\n`;
}

function reportText(outcome: CompileOutcome): void {
  const { context, origin, defects } = outcome;
  context.stderr(renderDiagnostics(reported(outcome), origin.describe));
  if (defects.length > 0) context.stderr(`${DEFECT}\n${defects.map((defect) => `  ${defect}\n`).join('')}`);
  reportSummary(outcome);
}

function reportSummary(outcome: CompileOutcome): void {
  const { context, diagnostics, result, difference, out, check, proved } = outcome;
  reportEnvironment(outcome);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const causes = groupByCause(errors);
    const codes = [...new Set(causes.map(({ diagnostic }) => diagnostic.code))];
    const following = errors.length - causes.length;
    const what = `${count(causes.length, 'error')}${following > 0 ? `, and ${following} that follow` : ''}`;
    context.stderr(
      `${what}. engine explain ${codes[0]} says more${codes.length > 1 ? ', as for the other codes' : ''}.\n`,
    );
  }
  if (outcome.linted) context.stderr(lintSummary(outcome.linted));
  if (outcome.built) return;
  if (!difference || !result) {
    context.stderr(`Nothing was ${check ? 'compared' : 'written'}.\n`);
    return;
  }
  const { sources, ledgers } = result.state.plan;
  const tables = sources.reduce((sum, source) => sum + source.tables.length, 0);
  const statements = proved === undefined ? '' : `, ${count(proved, 'statement')} proved`;
  const summary = `${count(tables, 'table')}, ${count(ledgers.length, 'role')}${statements}`;
  if (!check) {
    const deleted = difference.extra.length > 0 ? `, ${difference.extra.length} deleted` : '';
    context.stdout(
      `${summary} → ${out}: ${count(result.files.size, 'file')}, ${difference.changed.length} changed${deleted}\n`,
    );
  } else if (isDifferent(difference)) {
    for (const path of difference.changed) context.stdout(`stale      ${out}/${path}\n`);
    for (const path of difference.extra) context.stdout(`not needed ${out}/${path}\n`);
    for (const each of difference.versions) context.stderr(`${versionsText(out, each)}\n`);
    context.stderr(`${out} is not what this metadata compiles to. Run the same command without --check.\n`);
  } else {
    context.stdout(`${summary}: ${out} is up to date\n`);
  }
}

function lintSummary({ findings, allowed, permissions }: Linted): string {
  const kept = allowed > 0 ? `, ${allowed} allowed` : '';
  const [first] = findings;
  const more = first
    ? ` engine explain ${first.code} says more, engine lint --help how to allow what is meant.`
    : '';
  return `lint: ${findings.length === 0 ? 'nothing' : findings.length} found in ${count(permissions, 'permission')}${kept}.${more}\n`;
}

/** Which variables a server of this metadata needs, and whether they are set here. Never what they hold. */
function reportEnvironment({ environment, context }: CompileOutcome): void {
  if (environment.length === 0) return;
  const isSet = ({ name }: EnvironmentVariable) => context.environment[name] !== undefined;
  const names = (list: readonly EnvironmentVariable[]) => list.map(({ name }) => name).join(', ');
  const present = environment.filter(isSet);
  const absent = environment.filter((variable) => !isSet(variable));
  const parts = [
    ...(present.length > 0 ? [`${names(present)} (set here)`] : []),
    ...(absent.length > 0 ? [`${names(absent)} (not set here)`] : []),
  ];
  context.stderr(`environment variables that the metadata needs: ${parts.join(', ')}\n`);
}

export function isDifferent({ changed, extra }: Difference): boolean {
  return changed.length > 0 || extra.length > 0;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
