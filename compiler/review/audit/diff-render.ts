/** The result of an audit's diff: a terminal's text, Markdown for a review comment, findings for a code host. */

import type { SarifFinding, SarifRule } from '../findings/sarif.ts';
import { escapeMarkdown } from '../findings/text.ts';
import type { AuditDiff } from './diff.ts';
import { type Finding, VERDICTS, type Verdict } from './finding.ts';
import { wrap } from './render.ts';

const NOTHING = 'Nothing differs in what was compared.';

/** Text for a terminal: by verdict, then by role. */
export function diffText(diff: AuditDiff): string {
  const lines = [`${diff.base} → ${diff.head}`, summary(diff)];
  for (const verdict of VERDICTS) {
    const findings = diff.findings.filter((finding) => finding.verdict === verdict);
    if (findings.length === 0) continue;
    lines.push('', `${verdict} (${findings.length})`);
    for (const [role, own] of byRole(findings)) {
      lines.push(`  ${role}`);
      for (const finding of own) lines.push(...findingLines(finding));
    }
  }
  return `${[...lines, '', ...wrap(diff.notCompared, 120)].join('\n')}\n`;
}

function findingLines(finding: Finding): string[] {
  const { before, after, place } = finding;
  const rule = (sign: string, text: string | undefined) =>
    text === undefined
      ? []
      : wrap(text, 90).map((line, index) => `      ${index === 0 ? sign : ' '} ${line}`);
  return [
    `    ${headline(finding)}${place ? `   ${place.file}:${place.line}` : ''}`,
    ...rule('-', before),
    ...rule('+', after),
  ];
}

function headline({ table, operation, text }: Finding): string {
  const subject = [table, operation].filter(Boolean).join(', ');
  return subject === '' || (table && text.includes(table)) ? text : `${subject}: ${text}`;
}

function byRole(findings: readonly Finding[]): Map<string, Finding[]> {
  const roles = new Map<string, Finding[]>();
  for (const finding of findings) {
    const role = finding.role ?? 'every role';
    roles.set(role, [...(roles.get(role) ?? []), finding]);
  }
  return roles;
}

const SIGNS: Readonly<Record<Verdict, string>> = {
  wider: '🔺',
  'changed meaning': '🔀',
  undecidable: '❓',
  'not wider': '▫️',
  narrower: '🔻',
};
const MEANINGS: Readonly<Record<Verdict, string>> = {
  wider: 'These roles may do more than before.',
  'changed meaning':
    'What these permissions lead to in the database or elsewhere is another: values or rows may be others. Please read what changed.',
  undecidable: 'The rules do not show whether these roles may do more or less: please read them.',
  'not wider': 'These roles may do no more than before; whether they may do less is not proved.',
  narrower: 'These roles may do less than before.',
};

/** Markdown for a review comment; what became narrower is folded away. */
export function diffMarkdown(diff: AuditDiff): string {
  const lines = ['### Who may do more, who may do less', '', summary(diff), '', diff.notCompared];
  for (const verdict of VERDICTS) {
    const findings = diff.findings.filter((finding) => finding.verdict === verdict);
    if (findings.length === 0) continue;
    const title = `${SIGNS[verdict]} ${verdict} (${findings.length})`;
    lines.push(
      '',
      ...(verdict === 'narrower' ? [`<details><summary>${title}</summary>`, ''] : [`#### ${title}`, '']),
      MEANINGS[verdict],
    );
    for (const [role, own] of byRole(findings)) {
      lines.push('', `**${escapeMarkdown(role)}**`, '');
      for (const finding of own) lines.push(...markdownFinding(finding));
    }
    if (verdict === 'narrower') lines.push('', '</details>');
  }
  return `${lines.join('\n')}\n`;
}

function markdownFinding(finding: Finding): string[] {
  const { before, after, place } = finding;
  const change = [
    ...(before === undefined ? [] : [`- ${before}`]),
    ...(after === undefined ? [] : [`+ ${after}`]),
  ];
  const text = `- ${escapeMarkdown(headline(finding))}${place ? ` <sub>${escapeMarkdown(`${place.file}:${place.line}`)}</sub>` : ''}`;
  // A fence longer than any within.
  const fence = '`'.repeat(
    Math.max(3, ...[...change.join('\n').matchAll(/`+/g)].map(([run]) => run.length + 1)),
  );
  return change.length === 0
    ? [text]
    : [text, `  ${fence}diff`, ...change.map((line) => `  ${line}`), `  ${fence}`];
}

function summary({ findings }: AuditDiff): string {
  if (findings.length === 0) return NOTHING;
  return `${VERDICTS.map((verdict) => `${findings.filter((finding) => finding.verdict === verdict).length} ${verdict}`).join(', ')}.`;
}

/** Kinds of findings for a code host. */
export const DIFF_RULES: readonly SarifRule[] = [
  {
    id: 'access-wider',
    level: 'warning',
    summary: 'A role may do more than before',
    help: 'Columns, rows or operations that a role had not. Make sure that it is meant.',
  },
  {
    id: 'access-changed-meaning',
    level: 'warning',
    summary: 'What a permission leads to is another',
    help: 'A view, function, trigger, constraint or the like is defined otherwise. Read its migration: values or rows may be others.',
  },
  {
    id: 'access-undecidable',
    level: 'warning',
    summary: 'A rule changed in a way that cannot be compared',
    help: 'Neither that it lets through less nor that it lets through more could be shown. Read both rules.',
  },
  {
    id: 'access-not-wider',
    level: 'note',
    summary: 'A rule changed, and lets through no row that it did not before',
    help: 'Whether it lets through fewer could not be shown.',
  },
  {
    id: 'access-narrower',
    level: 'note',
    summary: 'A role may do less than before',
    help: 'Columns, rows or operations that a role has no longer.',
  },
];

/** Findings in the form of SARIF. */
export function diffFindings({ findings }: AuditDiff): SarifFinding[] {
  return findings.map((finding) => {
    const { verdict, role, source, table, operation, before, after, place } = finding;
    const rules = [
      before === undefined ? [] : [`before: ${before}`],
      after === undefined ? [] : [`after: ${after}`],
    ].flat();
    return {
      rule: `access-${verdict.replace(' ', '-')}`,
      level: verdict === 'narrower' || verdict === 'not wider' ? 'note' : 'warning',
      message: [`${role === undefined ? '' : `Role ${role}: `}${headline(finding)}`, ...rules].join('\n'),
      object: [source, table, operation, role].filter(Boolean).join(' · '),
      ...(place && { location: place }),
    };
  });
}
