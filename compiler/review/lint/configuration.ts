/**
 * The lint's configuration: facts about sessions and roles, and allowed findings.
 *
 *   public_roles: [public]
 *   session_variables: [X-Engine-User-Id]
 *   allow:
 *     - rule: or-branch-without-session
 *       table: public.article
 *       role: customer
 *       reason: Published articles are for every customer
 */

import { readFileSync } from 'node:fs';
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { fileProblem, valueProblem } from '../../../runtime/core/reasons.ts';
import { yamlProblem } from '../../yaml-problem.ts';
import { groupFindings, type LintFinding } from './finding.ts';

const allowance = z.strictObject({
  rule: z.string(),
  table: z.string().optional(),
  role: z.string().optional(),
  column: z.string().optional(),
  reason: z.string().min(1, 'say why it is allowed'),
});

const configuration = z.strictObject({
  public_roles: z.array(z.string()).optional(),
  session_variables: z.array(z.string()).optional(),
  allow: z.array(allowance).optional(),
});

export interface Allowance {
  readonly rule: string;
  readonly table?: string | undefined;
  readonly role?: string | undefined;
  readonly column?: string | undefined;
  readonly reason: string;
  readonly file: string;
  readonly line: number;
}

export interface LintConfiguration {
  /** Roles whose reading of every column is reported. */
  readonly publicRoles: readonly string[];
  /** Absent: not known, and nothing is said of variables. */
  readonly sessionVariables?: readonly string[];
  readonly allow: readonly Allowance[];
}

/** The configuration cannot be read; the message says where and why. */
class LintConfigurationError extends Error {
  override readonly name = 'LintConfigurationError';
}

export const DEFAULT_PUBLIC_ROLES: readonly string[] = ['public', 'anonymous', 'guest', 'visitor'];

/** Reads a configuration file. @throws LintConfigurationError */
export function readLintConfiguration(file: string, codes: ReadonlySet<string>): LintConfiguration {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new LintConfigurationError(`The configuration ${file} cannot be read: ${fileProblem(error)}.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.2', lineCounter: lines, prettyErrors: false });
  const [problem] = document.errors;
  if (problem) throw new LintConfigurationError(`${file} is not YAML: ${yamlProblem(problem, lines)}.`);
  const value: unknown = document.toJS() ?? {};
  const parsed = configuration.safeParse(value);
  if (!parsed.success)
    throw new LintConfigurationError(`${file}: ${valueProblem(value, parsed.error.issues[0]!)}.`);
  const entries = document.get('allow');
  const allow = (parsed.data.allow ?? []).map((entry, index) => {
    const node = isSeq(entries) ? entries.items[index] : undefined;
    const line = isMap(node) && node.range ? lines.linePos(node.range[0]).line : 1;
    if (!codes.has(entry.rule))
      throw new LintConfigurationError(
        `${file}:${line}: there is no rule "${entry.rule}"; engine lint --help lists them.`,
      );
    return { ...entry, file, line };
  });
  return {
    publicRoles: parsed.data.public_roles ?? DEFAULT_PUBLIC_ROLES,
    ...(parsed.data.session_variables && { sessionVariables: parsed.data.session_variables }),
    allow,
  };
}

/** Findings that are not allowed, by cause, and allowances without a finding. */
export function applyAllowances(
  findings: readonly LintFinding[],
  allow: readonly Allowance[],
): { readonly remaining: readonly Diagnostic[]; readonly allowed: number } {
  const used = new Set<Allowance>();
  const remaining = findings.filter((finding) => {
    const matching = allow.filter((entry) => isAllowed(finding, entry));
    for (const entry of matching) used.add(entry);
    return matching.length === 0;
  });
  const unused = allow
    .filter((entry) => !used.has(entry))
    .map((entry): Diagnostic => {
      const { rule, table, role, column, file, line } = entry;
      const parts = [table && `table ${table}`, role && `role ${role}`, column && `column ${column}`].filter(
        Boolean,
      );
      const place = parts.length > 0 ? ` (${parts.join(', ')})` : '';
      return {
        ...at([], messages.lintAllowanceUnused({ rule, place })),
        location: { file, line, column: 1 },
      };
    });
  return {
    remaining: [...groupFindings(remaining), ...unused],
    allowed: findings.length - remaining.length,
  };
}

function isAllowed({ diagnostic, tables, columns, role }: LintFinding, entry: Allowance): boolean {
  return (
    diagnostic.code === entry.rule &&
    (entry.table === undefined || tables.includes(entry.table)) &&
    (entry.role === undefined || entry.role === role) &&
    (entry.column === undefined || columns.includes(entry.column))
  );
}
