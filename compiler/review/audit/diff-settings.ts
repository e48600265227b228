/** Compares settings of the whole program: introspection, limits, certificates, the databases behind sources, telemetry. */
import { isDeepStrictEqual } from 'node:util';
import { LIMITS, limitFacts } from '../../../runtime/core/program/facts.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { SettingFact } from '../../model/plan.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { beyond, versionPairs } from './beyond.ts';
import type { Finding, Verdict } from './finding.ts';

export function settingFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const hidden = ({ generated }: GeneratedCode) =>
    (generated.introspectionDisabledFor ?? []).filter((role) => role !== ADMIN_ROLE);
  const finding = (verdict: Verdict, role: string, text: string): Finding => ({
    verdict,
    subject: 'operations',
    role,
    text,
  });
  const unverified = ({ generated }: GeneratedCode) => generated.unverifiedHosts ?? [];
  const hostFindings = (from: GeneratedCode, to: GeneratedCode, verdict: Verdict, how: string) =>
    beyond(unverified(to), unverified(from), ({ host, suffix }) => [host, suffix]).map(
      ({ host, suffix }): Finding => {
        const text = `the certificate of ${host}${suffix === undefined ? '' : `, ${suffix}`} ${how} in calls`;
        return { verdict, subject: 'operations', text };
      },
    );
  return [
    ...limitFindings(base, head),
    ...factFindings(base, head),
    ...hostFindings(base, head, 'wider', 'is no longer verified'),
    ...hostFindings(head, base, 'narrower', 'is verified'),
    ...beyond(hidden(base), hidden(head)).map((role) =>
      finding('wider', role, 'may now ask for the schema (introspection)'),
    ),
    ...beyond(hidden(head), hidden(base)).map((role) =>
      finding('narrower', role, 'may no longer ask for the schema (introspection)'),
    ),
  ];
}

/** Values from the weakest on, and what holds where nothing is said. */
const STRENGTHS: Partial<Record<string, { readonly values: readonly string[]; readonly usual: string }>> = {
  TLS: { values: ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'], usual: 'prefer' },
  isolation: { values: ['read-committed', 'repeatable-read', 'serializable'], usual: 'read-committed' },
};

/** The database behind a source, its encryption, and where traces go. */
function factFindings(
  { settingFacts: before }: GeneratedCode,
  { settingFacts: after }: GeneratedCode,
): Finding[] {
  if (!before || !after) return [];
  const sourcesOf = (facts: readonly SettingFact[]) =>
    new Set(facts.map((fact) => 'source' in fact && fact.source));
  const [old, next] = [sourcesOf(before), sourcesOf(after)];
  const pairs = versionPairs(before, after, ({ value: _, ...of }) => of).map(({ was, is }) => {
    const fact = (is ?? was)!;
    return { was, is, fact, name: nameOf(fact) };
  });
  pairs.sort((left, right) => (left.name < right.name ? -1 : 1));
  return pairs.flatMap(({ was, is, fact, name }): Finding[] => {
    if (was?.value === is?.value) return [];
    if ('telemetry' in fact) return [settingFinding('changed meaning', name, was, is)];
    // A source that is new or gone is reported by what it serves.
    if (!old.has(fact.source) || !next.has(fact.source)) return [];
    const order = STRENGTHS[fact.what];
    const strength = ({ value } = { value: order!.usual }) => order!.values.indexOf(value);
    const stronger = fact.what === 'TLS' ? 'narrower' : 'not wider';
    const verdict = !order ? 'changed meaning' : strength(is) < strength(was) ? 'wider' : stronger;
    return [settingFinding(verdict, name, was, is)];
  });
}

function nameOf(fact: SettingFact): string {
  if ('telemetry' in fact) return `telemetry ${fact.telemetry}`;
  const { source, replica, what } = fact;
  return `source ${source} ${replica === undefined ? '' : `replica ${replica} `}${what}`;
}

function settingFinding(
  verdict: Verdict,
  name: string,
  was: SettingFact | undefined,
  is: SettingFact | undefined,
): Finding {
  const value = (is ?? was)!.value;
  // A hash says nothing.
  const shown = /^[0-9a-f]{32}$/.test(value) ? '' : ` (${value})`;
  const how = was === undefined ? 'is new' : is === undefined ? 'is gone' : 'is another';
  return { verdict, subject: 'rows', text: `the setting ${name} ${how}${shown}` };
}

/** Limits of requests: a role without one, or with a higher one, may do more. */
function limitFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  // Roles that nothing names have the limits of all.
  const roles = [undefined, ...head.roles];
  const limits = roles.map((role) => {
    const [before, after] = [base, head].map(({ generated }) => limitFacts(generated.limits, role ?? ''));
    return { role, before: before!, after: after! };
  });
  return LIMITS.flatMap((limit) => {
    const found = limits.flatMap(({ role, before, after }): Finding[] => {
      const [was, is] = [before, after].map((facts) => facts.find((fact) => fact.limit === limit));
      const finding = (verdict: Verdict, text: string): Finding[] => [
        { verdict, subject: 'operations', ...(role !== undefined && { role }), text: `${limit}: ${text}` },
      ];
      if (was?.most !== is?.most)
        return finding(
          (is?.most ?? Infinity) > (was?.most ?? Infinity) ? 'wider' : 'narrower',
          `${is?.most ?? 'none'} now, before ${was?.most ?? 'none'}`,
        );
      return isDeepStrictEqual(was, is) ? [] : finding('undecidable', 'requests are counted otherwise');
    });
    const [forAll, ...others] = found;
    // One finding where all roles are alike.
    const isOne =
      forAll !== undefined &&
      forAll.role === undefined &&
      others.length === roles.length - 1 &&
      others.every(({ text }) => text === forAll.text);
    return isOne ? [forAll] : found;
  });
}
