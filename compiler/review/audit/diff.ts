/**
 * What a change of generated code grants or takes, role by role: columns, rows, operations. Row rules are compared as
 * conditions; what cannot be shown either way is undecidable, and never called narrower.
 */
import type { GeneratedCode } from '../generated-code/index.ts';
import { permissionFindings } from './diff-permission.ts';
import {
  entranceFindings,
  foreignFindings,
  functionFindings,
  savedFindings,
  settingFindings,
  shapeFindings,
} from './diff-surroundings.ts';
import { type Finding, VERDICTS } from './finding.ts';
import { auditMatrix } from './matrix.ts';

export interface AuditDiff {
  readonly base: string;
  readonly head: string;
  readonly findings: readonly Finding[];
}

/** Everything that became wider, narrower or undecidable, by verdict, role and table. */
export function diffCode(base: GeneratedCode, head: GeneratedCode): AuditDiff {
  const [before, after] = [auditMatrix(base), auditMatrix(head)];
  const findings = [
    ...permissionFindings(base, head, before, after),
    ...entranceFindings(base, head),
    ...functionFindings(before, after),
    ...savedFindings(base, head, before, after),
    ...shapeFindings(base, head),
    ...settingFindings(base, head),
    ...foreignFindings(base, head),
  ];
  const order = ({ verdict, role = '', table = '', operation = '' }: Finding) =>
    `${VERDICTS.indexOf(verdict)} ${role}\0${table}\0${operation}`;
  return {
    base: base.label,
    head: head.label,
    findings: findings.sort((left, right) => (order(left) < order(right) ? -1 : 1)),
  };
}
