/**
 * Compares two versions of generated code role by role: the columns, rows and operations that a change grants or takes. Row rules are compared as
 * conditions; what cannot be shown either way is undecidable, and never called narrower.
 */
import { count } from '../findings/text.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { bodyFindings, databaseFindings } from './diff-database.ts';
import { endpointFindings } from './diff-endpoints.ts';
import { meaningFindings } from './diff-meaning.ts';
import { pathFindings } from './diff-paths.ts';
import { permissionFindings } from './diff-permission.ts';
import { serviceFindings } from './diff-services.ts';
import {
  editFindings,
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
  /** Parts of the metadata that generated code does not hold and that were therefore not compared. */
  readonly notCompared: string;
}

/**
 * Everything that became wider, narrower or undecidable, by verdict, role and table.
 * @param step called before what may take long, in a project of many roles
 */
export function diffCode(
  base: GeneratedCode,
  head: GeneratedCode,
  step: (text: string) => void = () => {},
): AuditDiff {
  step('comparing permissions');
  const [before, after] = [auditMatrix(base), auditMatrix(head)];
  const permissions = permissionFindings(base, head, before, after);
  step('comparing the ways to rows and values');
  const findings = [
    ...permissions,
    ...entranceFindings(base, head),
    ...functionFindings(before, after),
    ...bodyFindings(base, head, after),
    ...databaseFindings(base, head),
    ...pathFindings(base, head),
    ...endpointFindings(base, head),
    ...meaningFindings(base, head),
    ...savedFindings(base, head, before, after),
    ...shapeFindings(base, head),
    ...serviceFindings(base, head),
    ...settingFindings(base, head),
    ...foreignFindings(base, head),
    ...editFindings(base, head),
  ];
  const order = ({ verdict, role = '', table = '', operation = '' }: Finding) =>
    `${VERDICTS.indexOf(verdict)} ${role}\0${table}\0${operation}`;
  return {
    base: base.label,
    head: head.label,
    notCompared: notCompared(head),
    findings: findings.sort((left, right) => (order(left) < order(right) ? -1 : 1)),
  };
}

function notCompared({ program }: GeneratedCode): string {
  const { tables, functions } = program;
  const views = tables.filter(({ shape }) => shape.kind === 'view' || shape.kind === 'materialized').length;
  const called = new Set([
    ...functions.map(({ shape }) => `${shape.source.name} ${shape.schema}.${shape.name}`),
    ...tables.flatMap(({ source, computedFields }) =>
      [...computedFields.values()].map(
        ({ shape }) => `${source.name} ${shape.function.schema}.${shape.function.name}`,
      ),
    ),
  ]).size;
  const triggers = tables.reduce((sum, { shape }) => sum + Object.keys(shape.triggers ?? {}).length, 0);
  return `Compared by hash only, which shows that one changed and not what that means: the queries of ${count(views, 'view')}, ${count(called, 'function')} and ${count(triggers, 'trigger')}. Not compared: functions that these call, and defaults, CHECK constraints and policies of ${count(tables.length, 'table')}.`;
}
