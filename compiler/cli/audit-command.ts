/** `engine audit`: answers questions about permissions from generated code alone. */

import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import type { Table } from '../../runtime/core/program/program.ts';
import { version } from '../index.ts';
import { startProgress } from '../offline/progress.ts';
import { actionsByHost, actionsText, untrustedCredentials } from '../review/audit/actions.ts';
import { causeLines, causesOf } from '../review/audit/causes.ts';
import { type AuditDiff, diffCode } from '../review/audit/diff.ts';
import { DIFF_RULES, diffFindings, diffMarkdown, diffText } from '../review/audit/diff-render.ts';
import { eventsByHost, eventsText } from '../review/audit/events.ts';
import type { Verdict } from '../review/audit/finding.ts';
import { isolationOf, isolationVariables } from '../review/audit/isolation.ts';
import { isolationText } from '../review/audit/isolation-render.ts';
import { type AccessTable, auditMatrix } from '../review/audit/matrix.ts';
import { matrixHtml } from '../review/audit/page.ts';
import {
  findRemoteField,
  remoteGrantLines,
  remoteGrants,
  whoCanAsk,
  whoRemoteText,
} from '../review/audit/remote-fields.ts';
import { matrixText, roleText, tableText, whoText } from '../review/audit/render.ts';
import { auditShards, shardsText } from '../review/audit/shards.ts';
import { whoCan } from '../review/audit/who.ts';
import { renderSarif } from '../review/findings/sarif.ts';
import { type GeneratedCode, readGeneratedCode } from '../review/generated-code/index.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface AuditOptions {
  /** Folder of generated code, or a revision of git. */
  readonly generated: string;
  readonly source?: string;
  readonly format: 'text' | 'json' | 'html';
}

/** The code, with a warning on standard error about what is not as the compiler wrote it. @throws GeneratedCodeError */
function readUnedited(place: string, { stderr }: CommandContext): GeneratedCode {
  const code = readGeneratedCode(place);
  const warnings = [
    ...code.edited.map((path) => `${path}: not as the compiler wrote it; the answer is about it as it is.`),
    ...code.differing.map(
      (name) =>
        `saved operation ${name}: its statements are not what the rules give; no answer speaks of them.`,
    ),
    ...code.unproved.map(
      (fact) =>
        `${fact}: the rule of the related table is not asked, but it does not follow; no answer speaks of that.`,
    ),
  ];
  for (const text of warnings) stderr(`warning ${text}\n`);
  return code;
}

/**
 * `engine audit actions`. Exit status 1 if hosts are trusted and credentials of clients go to others.
 * @throws GeneratedCodeError
 */
export function actionsCommand(
  { generated, format, trusted }: AuditOptions & { readonly trusted?: readonly string[] },
  context: CommandContext,
): number {
  const code = readUnedited(generated, context);
  const hosts = actionsByHost(code);
  context.stdout(format === 'json' ? json(hosts) : actionsText(code.label, hosts));
  const untrusted = trusted === undefined ? [] : untrustedCredentials(hosts, trusted);
  for (const text of untrusted) context.stderr(`error ${text}\n`);
  return untrusted.length > 0 ? 1 : 0;
}

/** `engine audit events`. @throws GeneratedCodeError */
export function eventsCommand(options: AuditOptions, context: CommandContext): number {
  const code = readUnedited(options.generated, context);
  const hosts = eventsByHost(code);
  context.stdout(options.format === 'json' ? json(hosts) : eventsText(code.label, hosts));
  return 0;
}

/** `engine audit who TABLE.COLUMN`, or `REMOTE.TYPE.FIELD`. @throws GeneratedCodeError, UsageError */
export function whoCommand(name: string, options: AuditOptions, context: CommandContext): number {
  const code = readUnedited(options.generated, context);
  const remoteField = findRemoteField(code, name);
  if (remoteField) {
    const found = whoCanAsk(code, remoteField);
    context.stdout(options.format === 'json' ? json(found) : whoRemoteText(found));
    return 0;
  }
  const at = name.lastIndexOf('.');
  if (at < 1)
    throw new UsageError(`Which column? Write TABLE.COLUMN, such as customer.email or sales.invoice.total.`);
  const table = findTable(code, name.slice(0, at), options.source);
  const column = name.slice(at + 1);
  if (!Object.hasOwn(table.shape.columns, column))
    throw new UsageError(
      `Table ${table.key} has no column "${column}".${didYouMean(column, Object.keys(table.shape.columns))}`,
    );
  const result = whoCan(code, table, column);
  context.stdout(options.format === 'json' ? json(result) : whoText(result, code.program.vocabulary));
  return 0;
}

/** `engine audit role ROLE`. @throws GeneratedCodeError, UsageError */
export function roleCommand(role: string, options: AuditOptions, context: CommandContext): number {
  const code = readUnedited(options.generated, context);
  if (!code.roles.includes(role))
    throw new UsageError(
      role === 'admin'
        ? 'The role admin may do everything that is tracked; it is in no access file.'
        : `No rule names the role "${role}": it may do nothing.${didYouMean(role, code.roles)}`,
    );
  const matrix = auditMatrix(code);
  const remoteSchemas = remoteGrants(code, role);
  const causes = causesOf(code, role);
  const others = [...causeLines(causes), ...remoteGrantLines(remoteSchemas)];
  if (options.format === 'text') context.stdout(roleText(matrix, role, code.program.vocabulary, others));
  else
    context.stdout(
      json({
        role,
        permissions: matrix.permissions.filter((each) => each.role === role),
        functions: matrix.functions.filter(({ fields }) => Object.hasOwn(fields, role)),
        operations: matrix.operations.filter(({ roles }) => roles.includes(role)),
        ...causes,
        remoteSchemas,
      }),
    );
  return 0;
}

/** `engine audit table TABLE`. @throws GeneratedCodeError, UsageError */
export function tableCommand(name: string, options: AuditOptions, context: CommandContext): number {
  const code = readUnedited(options.generated, context);
  const { key, source } = findTable(code, name, options.source);
  const matrix = auditMatrix(code);
  const isOurs = (each: AccessTable) => each.key === key && each.source === source.name;
  const table = matrix.tables.find(isOurs)!;
  if (options.format === 'text') context.stdout(tableText(matrix, table, code.program.vocabulary));
  else
    context.stdout(
      json({
        ...table,
        permissions: matrix.permissions.filter((each) => each.source === source.name && each.table === key),
      }),
    );
  return 0;
}

/** `engine audit shards`. Exit status 1 if something is refused. @throws GeneratedCodeError */
export function shardsCommand({ generated, format }: AuditOptions, context: CommandContext): number {
  const result = auditShards(readUnedited(generated, context));
  context.stdout(format === 'json' ? json(result) : shardsText(result));
  return result.verdicts.some(({ verdict }) => verdict.kind === 'refused') ? 1 : 0;
}

/** `engine audit matrix`. @throws GeneratedCodeError */
export function matrixCommand(options: AuditOptions, context: CommandContext): number {
  const code = readUnedited(options.generated, context);
  const { vocabulary } = code.program;
  const html = (matrix: Parameters<typeof matrixHtml>[0]) => matrixHtml(matrix, vocabulary);
  context.stdout({ text: matrixText, json, html }[options.format](auditMatrix(code)));
  return 0;
}

/** `engine audit isolation --by VARIABLE`. @throws GeneratedCodeError, UsageError */
export function isolationCommand(
  { by, ...options }: AuditOptions & { readonly by: string },
  context: CommandContext,
): number {
  const code = readUnedited(options.generated, context);
  const variable = code.program.vocabulary.toCanonical(by) ?? by.toLowerCase();
  const known = isolationVariables(code);
  if (!known.includes(variable))
    throw new UsageError(
      `No rule names the session variable ${by}; they name ${known.map((name) => code.program.vocabulary.fromCanonical(name)).join(', ') || 'none'}.${didYouMean(variable, known)}`,
    );
  const result = isolationOf(code, variable);
  context.stdout(options.format === 'json' ? json(result) : isolationText(result, code.program.vocabulary));
  return 0;
}

export interface DiffOptions {
  readonly folder: string;
  readonly format: 'text' | 'json' | 'markdown' | 'sarif';
  readonly failOn: 'wider' | 'undecidable' | 'never';
}

const FAILING: Readonly<Record<DiffOptions['failOn'], readonly Verdict[]>> = {
  wider: ['wider'],
  undecidable: ['wider', 'changed meaning', 'undecidable'],
  never: [],
};

/** `engine audit diff BASE HEAD`: 1 when a role may do what `failOn` says. @throws GeneratedCodeError */
export function auditDiffCommand(
  base: string,
  head: string,
  options: DiffOptions,
  context: CommandContext,
): number {
  const progress = startProgress(context);
  progress.step(`reading ${base}`);
  const before = readGeneratedCode(base, options.folder);
  progress.step(`reading ${head}`);
  const after = readGeneratedCode(head, options.folder, before);
  const diff = diffCode(before, after, progress.step);
  progress.end();
  const print = {
    text: diffText,
    json,
    markdown: diffMarkdown,
    sarif: (result: AuditDiff) => renderSarif(diffFindings(result), DIFF_RULES, version),
  }[options.format];
  context.stdout(print(diff));
  return diff.findings.some(({ verdict }) => FAILING[options.failOn].includes(verdict)) ? 1 : 0;
}

/** A table by key, database name or GraphQL name. @throws UsageError */
function findTable({ program }: GeneratedCode, name: string, source: string | undefined): Table {
  const candidates = program.tables.filter((table) => source === undefined || table.source.name === source);
  const matches = (by: (table: Table) => string) => candidates.filter((table) => by(table) === name);
  const found = [
    matches(({ key }) => key),
    matches(({ shape }) => shape.name),
    matches(({ shape }) => shape.graphqlName),
  ].find((tables) => tables.length > 0);
  if (!found)
    throw new UsageError(
      `No table "${name}" is tracked.${didYouMean(
        name,
        candidates.map(({ shape }) => shape.name),
      )}`,
    );
  if (found.length > 1) {
    const places = found.map(({ key, source: of }) => `${key} of source ${of.name}`).join(', ');
    throw new UsageError(
      `"${name}" is more than one table: ${places}. Name the schema, or the source with --source.`,
    );
  }
  return found[0]!;
}

function didYouMean(name: string, names: Iterable<string>): string {
  const near = nearest(name, [...names]);
  return near === undefined ? '' : ` Did you mean "${near}"?`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
