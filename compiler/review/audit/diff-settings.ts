/** Compares settings of the whole program: introspection, limits, certificates, the databases behind sources, telemetry. */
import { isDeepStrictEqual } from 'node:util';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import { limitOfRole, type RateLimit } from '../../../runtime/core/settings.ts';
import type { SettingFact } from '../../model/plan.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding, Verdict } from './finding.ts';

export function settingFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const hidden = (code: GeneratedCode) => code.generated.introspectionDisabledFor ?? [];
  const finding = (verdict: Verdict, role: string, text: string): Finding => ({
    verdict,
    subject: 'operations',
    role,
    text,
  });
  const unverified = ({ generated }: GeneratedCode) =>
    (generated.unverifiedHosts ?? []).map(({ host, suffix }) =>
      suffix === undefined ? host : `${host}, ${suffix}`,
    );
  const changed = (from: GeneratedCode, to: GeneratedCode) =>
    unverified(to).filter((host) => !unverified(from).includes(host));
  return [
    ...limitFindings(base, head),
    ...factFindings(base, head),
    ...changed(base, head).map((host): Finding => {
      const text = `the certificate of ${host} is no longer verified in calls`;
      return { verdict: 'wider', subject: 'operations', text };
    }),
    ...changed(head, base).map((host): Finding => {
      const text = `the certificate of ${host} is verified in calls`;
      return { verdict: 'narrower', subject: 'operations', text };
    }),
    ...hidden(base)
      .filter((role) => role !== ADMIN_ROLE && !hidden(head).includes(role))
      .map((role) => finding('wider', role, 'may now ask for the schema (introspection)')),
    ...hidden(head)
      .filter((role) => role !== ADMIN_ROLE && !hidden(base).includes(role))
      .map((role) => finding('narrower', role, 'may no longer ask for the schema (introspection)')),
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
  const [old, next] = [before, after].map((facts) => new Map(facts.map((fact) => [nameOf(fact), fact])));
  return [...new Set([...old!.keys(), ...next!.keys()])].sort().flatMap((name): Finding[] => {
    const [was, is] = [old!.get(name), next!.get(name)];
    if (was?.value === is?.value) return [];
    const fact = (is ?? was)!;
    if ('telemetry' in fact) return [settingFinding('changed meaning', name, was, is)];
    // A source that is new or gone is reported by what it serves.
    const database = nameOf({ source: fact.source, what: 'database', value: '' });
    if (!old!.has(database) || !next!.has(database)) return [];
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

const LIMITS = ['depth_limit', 'node_limit', 'batch_limit', 'time_limit', 'rate_limit'] as const;

/** Limits of requests: a role without one, or with a higher one, may do more. */
function limitFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const of = ({ generated: { limits } }: GeneratedCode, name: (typeof LIMITS)[number], role: string) => {
    const value = limits && limitOfRole<number | RateLimit>(limits[name], role);
    return typeof value === 'object' ? value.max_reqs_per_min : value;
  };
  const counts = ({ generated: { limits } }: GeneratedCode, role: string) => {
    const value = limits && limitOfRole(limits.rate_limit, role);
    return value && (value.unique_params ?? 'all together');
  };
  // Roles that nothing names have the limits of all.
  const roles = [undefined, ...head.roles.filter((role) => role !== ADMIN_ROLE)];
  return LIMITS.flatMap((name) => {
    const found = roles.flatMap((role): Finding[] => {
      const [was, is] = [base, head].map((code) => of(code, name, role ?? ''));
      const finding = (verdict: Verdict, text: string): Finding[] => [
        { verdict, subject: 'operations', ...(role !== undefined && { role }), text: `${name}: ${text}` },
      ];
      const said = (value: number | undefined) => (value === undefined ? 'none' : String(value));
      if (was !== is)
        return finding(
          (is ?? Infinity) > (was ?? Infinity) ? 'wider' : 'narrower',
          `${said(is)} now, before ${said(was)}`,
        );
      const isCounted = isDeepStrictEqual(counts(base, role ?? ''), counts(head, role ?? ''));
      return name === 'rate_limit' && !isCounted
        ? finding('undecidable', 'requests are counted otherwise')
        : [];
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
