/** Compares what other servers do: actions, remote schemas, and the webhooks that event triggers send rows to. */
import { isDeepStrictEqual } from 'node:util';
import type {
  CaptureShape,
  CronTriggerShape,
  EventTriggerShape,
} from '../../../runtime/core/contract/events.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { remoteFacts } from '../../../runtime/core/remotes/facts.ts';
import type { RemoteRelationshipShape } from '../../../runtime/core/remotes/shapes.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import type { Finding, Verdict } from './finding.ts';

/** Compares the calls of other servers that roles may cause, and the data that is sent. */
export function serviceFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return [
    ...compareServices(actionsOf(base), actionsOf(head), 'call the action'),
    ...compareServices(remotesOf(base), remotesOf(head), 'ask the remote schema'),
    ...wholeRemoteFindings(base, head),
    ...compareRemoteParts(base, head),
    ...remoteRelationshipFindings(base, head),
    ...eventFindings(base, head),
    ...cronFindings(base, head),
  ];
}

/** A service by name, with what each role gets of it. */
type Services = ReadonlyMap<
  string,
  { readonly definition: unknown; readonly roles: ReadonlyMap<string, unknown> }
>;

function actionsOf({ generated: { actions } }: GeneratedCode): Services {
  return new Map(
    // How long and in which order a handler may answer decides nothing.
    (actions?.actions ?? []).map(({ roles, description, timeout, kind, ...definition }) => [
      definition.name,
      { definition: [definition, actions!.types], roles: new Map(roles.map((role) => [role, true])) },
    ]),
  );
}

function remotesOf({ generated: { remotes = [] } }: GeneratedCode): Services {
  return new Map(
    remotes.map(({ roles, schema: _, timeout, customization: names, ...definition }) => [
      definition.name,
      // The part of each role is compared for itself.
      { definition, roles: new Map(Object.keys(roles).map((role) => [role, true])) },
    ]),
  );
}

/** Compares whole remote schemas: the server applies their permissions only if an option says so. */
function wholeRemoteFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const schemas = ({ generated: { remotes = [] } }: GeneratedCode) =>
    new Map(remotes.map(({ name, schema }) => [name, schema]));
  const before = schemas(base);
  return [...schemas(head)].flatMap(([name, schema]): Finding[] => {
    const was = before.get(name);
    if (was === schema) return [];
    const what = was === undefined ? 'is new' : 'offers something else';
    const text = `the remote schema ${name} ${what}; without --enable-remote-schema-permissions all roles see the whole`;
    return [{ verdict: 'undecidable', subject: 'operations', text }];
  });
}

/** Fields, arguments and presets of the part of a remote schema that a role sees, before and after. */
function compareRemoteParts(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const remotes = ({ generated: { remotes: all = [] } }: GeneratedCode) =>
    new Map(all.map((remote) => [remote.name, remote]));
  const before = remotes(base);
  return [...remotes(head)].flatMap(([name, remote]) =>
    Object.keys(remote.roles).flatMap((role): Finding[] => {
      const was = before.get(name);
      if (role === ADMIN_ROLE || !was || !Object.hasOwn(was.roles, role)) return [];
      if (was.roles[role] === remote.roles[role]) return [];
      const [old, next] = [was, remote].map((each) => remoteFacts(each.roles[role]!));
      const finding = (verdict: Verdict, text: string, facts: readonly string[]): Finding[] =>
        facts.length === 0
          ? []
          : [
              {
                ...{ verdict, subject: 'columns', role },
                text: `remote schema ${name}: ${text}${facts.join(', ')}`,
              },
            ];
      const gained = next!.filter((fact) => !old!.includes(fact));
      const lost = old!.filter((fact) => !next!.includes(fact));
      if (gained.length + lost.length === 0) return finding('undecidable', 'types of its part differ', ['']);
      // A preset says what is sent: another one is neither more nor less.
      const isPreset = (fact: string) => /(?:^| )preset \w+ = /.test(fact);
      return [
        ...finding(
          'wider',
          'may now use ',
          gained.filter((fact) => !isPreset(fact)),
        ),
        ...finding('undecidable', 'sends ', gained.filter(isPreset)),
        ...finding('wider', 'no longer sends ', lost.filter(isPreset)),
        ...finding(
          'narrower',
          'may no longer use ',
          lost.filter((fact) => !isPreset(fact)),
        ),
      ];
    }),
  );
}

/** Relationships of tables to remote schemas and other sources, for the roles that read the table. */
function remoteRelationshipFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const idOf = ({ source, key }: Table) => JSON.stringify([source.name, key]);
  const old = new Map(base.program.tables.map((table) => [idOf(table), table]));
  return head.program.tables.flatMap((table) => {
    const was = old.get(idOf(table));
    if (!was) return [];
    const [before, after] = [was, table].map(({ shape }) => shape.remoteRelationships ?? {});
    const place = head.locate(table.shape);
    return Object.keys(head.accessOf(table).select ?? {}).flatMap((role): Finding[] => {
      const finding = (verdict: Verdict, text: string): Finding => ({
        ...{ verdict, subject: 'columns', role, source: table.source.name, table: table.key, text },
        ...(place && { place }),
      });
      return [...new Set([...Object.keys(before!), ...Object.keys(after!)])].sort().flatMap((name) => {
        const [from, to] = [before![name], after![name]];
        if (!to)
          return [finding('narrower', `the relationship ${name} no longer leads to ${leadsTo(from!)}`)];
        if (isDeepStrictEqual(withoutText(from), withoutText(to))) return [];
        const text = from
          ? `the relationship ${name} leads to ${leadsTo(to)}; before: ${leadsTo(from)}`
          : `the relationship ${name} is new: it leads to ${leadsTo(to)}`;
        return [finding('undecidable', text)];
      });
    });
  });
}

function withoutText(shape: RemoteRelationshipShape | undefined): unknown {
  if (!shape) return undefined;
  const { description: _, ...rest } = shape;
  return rest;
}

function leadsTo(shape: RemoteRelationshipShape): string {
  if (shape.to === 'source') {
    const pairs = Object.entries(shape.columns).map(([own, other]) => `${other} = ${own}`);
    return `${shape.target} of source ${shape.source} (${pairs.join(', ')})`;
  }
  const fields = shape.path.map(({ field }) => field).join('.');
  return `${fields} of the remote schema ${shape.remote}, which is sent ${shape.keys.join(', ') || 'no column'}`;
}

function compareServices(before: Services, after: Services, verb: string): Finding[] {
  const finding = (verdict: Verdict, role: string, text: string): Finding => ({
    ...{ verdict, subject: 'operations', role, text },
  });
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    const roles = new Set([...(was?.roles.keys() ?? []), ...(is?.roles.keys() ?? [])]);
    roles.delete(ADMIN_ROLE);
    return [...roles].flatMap((role): Finding[] => {
      if (!was?.roles.has(role)) return [finding('wider', role, `may now ${verb} ${name}`)];
      if (!is?.roles.has(role)) return [finding('narrower', role, `may no longer ${verb} ${name}`)];
      const isSame =
        isDeepStrictEqual(was.roles.get(role), is.roles.get(role)) &&
        isDeepStrictEqual(was.definition, is.definition);
      return isSame ? [] : [finding('undecidable', role, `may ${verb} ${name}, which is defined otherwise`)];
    });
  });
}

function eventFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const triggers = ({ generated: { events } }: GeneratedCode) =>
    new Map(
      (events?.sources ?? []).flatMap(({ source, triggers: all }) =>
        all.map((trigger) => [JSON.stringify([source, trigger.name]), { source, trigger }] as const),
      ),
    );
  const [before, after] = [triggers(base), triggers(head)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): Finding[] => {
    const [was, is] = [before.get(key), after.get(key)];
    const { source, trigger } = (is ?? was)!;
    const table = `${trigger.table.schema}.${trigger.table.name}`;
    const finding = (verdict: Verdict, text: string): Finding[] => [
      { ...{ verdict, subject: 'rows', source, table }, text: `the event trigger ${trigger.name} ${text}` },
    ];
    if (!is) return finding('narrower', 'no longer sends its rows to a webhook');
    if (!was) return finding('undecidable', 'sends its rows to a webhook now');
    const isDelivered = isDeepStrictEqual(deliveryOf(was.trigger), deliveryOf(trigger));
    const changes = new Set(comparePayloads(was.trigger, trigger));
    if (!isDelivered) return finding('undecidable', 'captures or sends otherwise');
    if (changes.has('more')) return finding('undecidable', 'captures or sends otherwise');
    return changes.has('less') ? finding('narrower', 'sends less') : [];
  });
}

/** Where something goes, and as what; not when it is tried again. */
function deliveryOf({ delivery: { retry, ...rest } }: Pick<EventTriggerShape, 'delivery'>): unknown {
  return rest;
}

/** What becomes of each capture. Texts that differ in the columns that are sent alone capture the same changes. */
function comparePayloads(was: EventTriggerShape, now: EventTriggerShape): ('more' | 'less')[] {
  const before = new Map(was.captures.map((capture) => [capture.operation, capture]));
  const kept = now.captures.flatMap((capture): ('more' | 'less')[] => {
    const old = before.get(capture.operation);
    if (!old || old.always !== capture.always || withoutColumns(old) !== withoutColumns(capture))
      return ['more'];
    const [from, to] = [old.sends, capture.sends];
    if (isDeepStrictEqual(from, to)) return old.function === capture.function ? [] : ['more'];
    if (from === '*') return ['less'];
    return to !== '*' && to.every((name) => from.includes(name)) ? ['less'] : ['more'];
  });
  const isFewer = was.captures.some(
    ({ operation }) => !now.captures.some((capture) => capture.operation === operation),
  );
  return [
    ...kept,
    ...(isFewer ? (['less'] as const) : []),
    ...(was.manual === now.manual ? [] : (['more'] as const)),
  ];
}

function withoutColumns({ function: text, trigger, sends }: CaptureShape): string {
  if (sends === '*') return trigger;
  const list = sends.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');
  return `${text.replaceAll(`array[${list}]::pg_catalog.text[]`, 'array[]')} ${trigger}`;
}

/** Calls that the clock causes. */
function cronFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const triggers = ({ generated: { events } }: GeneratedCode) =>
    new Map((events?.cron ?? []).map((trigger) => [trigger.name, trigger]));
  const [before, after] = [triggers(base), triggers(head)];
  const sent = (trigger: CronTriggerShape) => [deliveryOf(trigger), trigger.payload];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): Finding[] => {
    const [was, is] = [before.get(name), after.get(name)];
    const finding = (verdict: Verdict, text: string): Finding[] => [
      { verdict, subject: 'operations', text: `the cron trigger ${name} ${text}` },
    ];
    if (!is) return finding('narrower', 'no longer calls a webhook');
    if (!was) return finding('undecidable', 'calls a webhook now');
    if (isDeepStrictEqual(sent(was), sent(is))) return [];
    return finding('changed meaning', 'calls another webhook, or sends something else');
  });
}
