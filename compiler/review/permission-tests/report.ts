/** Reports the results of permission tests: for a terminal, and as JUnit XML. */

import { counted } from '../findings/text.ts';
import type { TestResult } from './index.ts';
import type { Check } from './isolation.ts';
import { MUTANT_KINDS } from './mutants.ts';
import type { MutationResult, NoticedBy } from './mutation.ts';

const SIGNS: Readonly<Record<Check['outcome'], string>> = { passed: '✓', failed: '×', unproven: '○' };

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly unproven: number;
}

export function countChecks({ suites }: TestResult): Counts {
  const counts = { passed: 0, failed: 0, unproven: 0 };
  for (const { checks } of suites) for (const { outcome } of checks) counts[outcome] += 1;
  return counts;
}

/** True if the tests of the mutant itself fail: nothing of the version before is asked. */
function isNoticed({ noticedBy }: MutationResult): boolean {
  return noticedBy === 'case' || noticedBy === 'isolation';
}

/** Percentage of mutants that are noticed as they would be committed, rounded down; undefined without mutants. */
export function mutationScore(mutations: readonly MutationResult[]): number | undefined {
  if (mutations.length === 0) return undefined;
  return Math.floor((100 * mutations.filter(isNoticed).length) / mutations.length);
}

/** Text for a terminal: a line a suite, and what is not as it should be. */
export function testText(result: TestResult): string {
  const lines = result.suites.flatMap(({ name, checks }) => {
    const worst = checks.some(({ outcome }) => outcome === 'failed')
      ? 'failed'
      : checks.some(({ outcome }) => outcome === 'passed')
        ? 'passed'
        : 'unproven';
    const passed = checks.filter(({ outcome }) => outcome === 'passed').length;
    return [` ${SIGNS[worst]} ${name} (${passed}/${checks.length})`, ...problems(checks)];
  });
  const { passed, failed, unproven } = countChecks(result);
  const parts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(unproven > 0 ? [`${unproven} unproven`] : []),
  ];
  return `${[...lines, '', ...emptyLines(result), `Checks     ${parts.join(', ')}`, ...scopeLines(result), ...mutationLines(result)].join('\n')}\n`;
}

/** Limits of the checks. */
function scopeLines({ withoutSession, validated, byCasesOnly, base, leftOut }: TestResult): string[] {
  const { functions, views, triggers } = byCasesOnly;
  const number = [counted(functions, 'function'), counted(views, 'view'), counted(triggers, 'trigger')];
  const untried = [
    ...(withoutSession > 0
      ? [
          `isolation of ${counted(withoutSession, 'rule')} that name${withoutSession > 1 ? '' : 's'} no session variable`,
        ]
      : []),
    ...(validated > 0 ? [`webhooks that validate the input of ${counted(validated, 'permission')}`] : []),
    `beyond the cases: what ${number.join(', ')} do`,
  ];
  return [
    ...(leftOut > 0 ? [`Left out   ${counted(leftOut, 'inconsistent object')}`] : []),
    `Not tried  ${untried.join('; ')}`,
    ...(base
      ? [
          `Base       ${base.label}: ${counted(base.suites.length, 'changed rule')} tried as ${base.suites.length === 1 ? 'it was' : 'they were'}, ${base.unchanged} unchanged`,
          ...(base.gone.length > 0
            ? [
                `           ${counted(base.gone.length, 'rule')} not tried, because the permission is gone: ${base.gone.join(', ')}`,
              ]
            : []),
          ...(base.lost > 0
            ? [
                `           ${counted(base.lost, 'error')} of its metadata with the present migrations: rules of those objects were not tried`,
              ]
            : []),
        ]
      : []),
  ];
}

function problems(checks: readonly Check[]): string[] {
  const failed = checks
    .filter(({ outcome }) => outcome === 'failed')
    .flatMap(({ name, reason }) => [`     × ${name}`, `       ${reason}`]);
  const reasons = new Map<string, number>();
  for (const { outcome, reason = '' } of checks)
    if (outcome === 'unproven') reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return [...failed, ...[...reasons].map(([reason, number]) => `     ○ ${number} unproven: ${reason}`)];
}

function emptyLines({ emptyTables }: TestResult): string[] {
  if (emptyTables.size === 0) return [];
  return [
    'No rows could be made for these tables; give them some with --seed:',
    ...[...emptyTables].map(([table, reason]) => `  ${table}: ${reason}`),
    '',
  ];
}

function mutationLines({ mutations, notCovered, suggestions }: TestResult): string[] {
  const score = mutationScore(mutations);
  if (score === undefined) return [];
  const survivors = mutations.filter((each) => !isNoticed(each));
  const by = (name: NoticedBy) => mutations.filter(({ noticedBy }) => noticedBy === name).length;
  const byRule = new Map<string, string[]>();
  const suggested = survivors.filter(({ isSuggested }) => isSuggested).length;
  for (const { rule, what, noticedBy, isSuggested } of survivors) {
    const by = isSuggested ? '  (a case is suggested)' : noticedBy ? '  (noticed with --base)' : '';
    byRule.set(rule, [...(byRule.get(rule) ?? []), `${what}${by}`]);
  }
  const kinds = MUTANT_KINDS.flatMap((kind) => {
    const all = mutations.filter((each) => each.kind === kind);
    return all.length > 0 ? [`${kind} ${all.filter(isNoticed).length}/${all.length}`] : [];
  });
  return [
    `Mutations  ${by('isolation')} of ${mutations.length} weakened permissions noticed by isolation alone, ${by('case')} by cases: ${score} % when committed`,
    `           ${kinds.join(', ')}`,
    `           not covered by any of them: ${notCovered.join('; ')}`,
    ...(by('base') > 0
      ? [`           with --base ${by('base')} of the other ${survivors.length} would be noticed`]
      : []),
    ...(suggestions.length > 0
      ? [
          `Suggested  ${counted(suggestions.length, 'case')}, by which ${suggested} of the other ${survivors.length} would be noticed`,
        ]
      : []),
    ...(survivors.length > 0
      ? ['', 'Nothing fails when these permissions are weakened and committed; a declared case would notice:']
      : []),
    ...[...byRule].flatMap(([rule, whats]) => [`  ${rule}`, ...whats.map((what) => `    ${what}`)]),
  ];
}

/** JUnit XML: one suite per file or rule; what is unproven is skipped. Mutants are not in it. */
export function junitXml(result: TestResult): string {
  const counts = countChecks(result);
  const total = counts.passed + counts.failed + counts.unproven;
  const suites = result.suites.map(({ name, checks }) => {
    const failed = checks.filter(({ outcome }) => outcome === 'failed').length;
    const skipped = checks.filter(({ outcome }) => outcome === 'unproven').length;
    return [
      `  <testsuite name="${escapeXml(name)}" tests="${checks.length}" failures="${failed}" skipped="${skipped}">`,
      ...checks.map((check) => testCase(name, check)),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="engine test" tests="${total}" failures="${counts.failed}" skipped="${counts.unproven}">\n${suites.join('\n')}\n</testsuites>\n`;
}

function testCase(suite: string, { name, outcome, reason = '' }: Check): string {
  const head = `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}"`;
  if (outcome === 'passed') return `${head}/>`;
  const inside =
    outcome === 'failed'
      ? `<failure message="${escapeXml(reason)}"/>`
      : `<skipped message="${escapeXml(reason)}"/>`;
  return `${head}>${inside}</testcase>`;
}

function escapeXml(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // Characters that XML 1.0 has no way to write.
      .replace(/[^\P{Cc}\t\n\r]/gu, '?')
  );
}
