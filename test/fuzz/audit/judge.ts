/** What roles may do in two versions, and whether the findings say what they won and lost. */
import { type Finding, VERDICTS } from '../../../compiler/review/audit/finding.ts';
import type { Bench, Served } from './bench.ts';
import { type Asker, type Capabilities, type Capability, won } from './capabilities.ts';
import { rootFields, secretsOf } from './reads.ts';
import { INHERITED, ROLES, type Variables } from './world.ts';
import type { Effect } from './writes.ts';

export const ALL_ROLES = [...ROLES, INHERITED];

/** What the roles may do in one version. */
export interface View {
  readonly capabilities: Capabilities;
  /** By role. */
  readonly roots: ReadonlyMap<string, ReadonlySet<string>>;
  readonly secrets: ReadonlyMap<string, ReadonlySet<string>>;
}

export async function look(
  { connection }: Bench,
  asker: Asker,
  { code: { program }, unlimited }: Served,
  session: Variables,
): Promise<View> {
  const secrets = new Map<string, ReadonlySet<string>>();
  for (const role of ALL_ROLES) secrets.set(role, await secretsOf(unlimited, role, session, connection));
  return {
    capabilities: await asker.capabilities(program, ALL_ROLES),
    roots: new Map(
      ALL_ROLES.map((role) => [
        role,
        new Set([
          ...rootFields(program, role, false),
          ...[...rootFields(program, role, true)].map((name) => `trusted ${name}`),
        ]),
      ]),
    ),
    secrets,
  };
}

/** The outcome of a pair, and what is wrong with the verdict, if anything is. */
export function judge(
  before: View,
  after: View,
  findings: readonly Finding[],
  others: readonly Effect[] = [],
  refused: readonly Effect[] = [],
): { readonly name: string; readonly defect?: string } {
  const gained = won(before.capabilities, after.capabilities);
  const lost = won(after.capabilities, before.capabilities);
  const moreOf = (key: 'roots' | 'secrets', one: View, other: View) =>
    ALL_ROLES.flatMap((role) =>
      [...other[key].get(role)!]
        .filter((name) => !one[key].get(role)!.has(name))
        .map((name) => ({ role, name })),
    );
  const [opened, closed] = [moreOf('roots', before, after), moreOf('roots', after, before)];
  const [seen, unseen] = [moreOf('secrets', before, after), moreOf('secrets', after, before)];
  const isLeak = ({ verdict }: Finding) =>
    verdict === 'wider' || verdict === 'changed meaning' || verdict === 'undecidable';
  const about =
    ({ role, table, ...one }: Capability | Effect) =>
    (finding: Finding) =>
      // Of the database as a whole.
      (finding.role === undefined && finding.table === undefined) ||
      (finding.role === role &&
        finding.table === `public.${table}` &&
        (finding.operation === undefined || operationsOf(one).includes(finding.operation)));
  const ofRole = (role: string) => (finding: Finding) => finding.role === role || finding.role === undefined;
  const words = ({ role, table, operation, what }: Capability) => `${role}, ${operation} ${table}, ${what}`;
  const defects = [
    ...gained
      .filter((capability) => !findings.some((each) => isLeak(each) && about(capability)(each)))
      .map((capability) => `won, and not said: ${words(capability)}`),
    ...opened
      .filter(({ role }) => !findings.some((each) => isLeak(each) && ofRole(role)(each)))
      .map(({ role, name }) => `opened, and not said: ${role}, ${name}`),
    ...seen
      .filter(({ role }) => !findings.some((each) => isLeak(each) && ofRole(role)(each)))
      .map(({ role, name }) => `read now, and not said: ${role}, ${name}`),
    ...others
      .filter((effect) => !findings.some((each) => isLeak(each) && about(effect)(each)))
      .map((effect) => `does other things, and not said: ${JSON.stringify(effect)}`),
    ...refused
      .filter((effect) => !findings.some(about(effect)))
      .map((effect) => `refused, and nothing said: ${JSON.stringify(effect)}`),
    ...lost
      .filter((capability) => !findings.some(about(capability)))
      .map((capability) => `lost, and nothing said: ${words(capability)}`),
    ...[...closed, ...unseen]
      .filter(({ role }) => !findings.some(ofRole(role)))
      .map(({ role, name }) => `lost, and nothing said: ${role}, ${name}`),
  ];
  const isMore = gained.length + opened.length + seen.length + others.length > 0;
  const isLess = lost.length + closed.length + unseen.length + refused.length > 0;
  const truth = isMore ? (isLess ? 'won and lost' : 'won') : isLess ? 'lost' : 'neither';
  const verdict = VERDICTS.find((each) => findings.some((finding) => finding.verdict === each)) ?? 'nothing';
  return { name: `${truth}: ${verdict}`, ...(defects.length > 0 && { defect: defects.join('; ') }) };
}

function operationsOf(one: Pick<Capability, 'operation'> | Pick<Effect, 'operations'>): readonly string[] {
  return 'operations' in one ? one.operations : [one.operation];
}

export function withoutWrites(view: View): View {
  const reads = [...view.capabilities].filter(([, { operation }]) => operation === 'select');
  return { ...view, capabilities: new Map(reads) };
}
