/** Compares what other servers do: actions, remote schemas, and the webhooks that event triggers send rows to. */
import { isDeepStrictEqual } from 'node:util';
import type {
  ActionShape,
  CustomFieldsShape,
  CustomTypesShape,
} from '../../../runtime/core/action/shapes.ts';
import type {
  CaptureShape,
  CronTriggerShape,
  EventTriggerShape,
} from '../../../runtime/core/contract/events.ts';
import { ADMIN_ROLE } from '../../../runtime/core/session.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { versionPairs } from './beyond.ts';
import { remoteFindings } from './diff-remotes.ts';
import type { Finding, Verdict } from './finding.ts';

/** Compares the calls of other servers that roles may cause, and the data that is sent. */
export function serviceFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  return [
    ...compareServices(actionsOf(base), actionsOf(head), 'call the action'),
    ...compareServices(remotesOf(base), remotesOf(head), 'ask the remote schema'),
    ...remoteFindings(base, head),
    ...eventFindings(base, head),
    ...cronFindings(base, head),
  ];
}

/** That a role may use a service; `definition`: what decides about what it gets. */
interface Use {
  readonly role: string;
  readonly name: string;
  readonly definition: unknown;
}

function actionsOf({ generated: { actions } }: GeneratedCode): Use[] {
  // How long and in which order a handler may answer decides nothing.
  return (actions?.actions ?? []).flatMap(({ roles, description, timeout, kind, ...shape }) => {
    const definition = {
      ...shape,
      arguments: Object.entries(shape.arguments).map(([name, { type }]) => [name, type]),
      types: typesOf(shape, actions!.types),
    };
    return roles.map((role) => ({ role, name: shape.name, definition }));
  });
}

/** The types that an action takes and answers with, without descriptions, and so its arguments. */
function typesOf(
  { arguments: args, output }: Pick<ActionShape, 'arguments' | 'output'>,
  types: CustomTypesShape,
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const fieldTypes = (fields: CustomFieldsShape['fields']) =>
    Object.entries(fields).map(([name, { type }]) => [name, type] as const);
  const visit = (type: string): void => {
    const name = type.replaceAll(/[[\]!]/g, '');
    if (Object.hasOwn(found, name)) return;
    const { fields, ...rest } = types.objects?.[name] ?? types.inputs?.[name] ?? {};
    const { description: _, ...relationships } = rest as { readonly description?: string };
    const pairs = fieldTypes(fields ?? {});
    found[name] = [
      Object.fromEntries(pairs),
      relationships,
      Object.keys(types.enums?.[name]?.values ?? {}).sort(),
      types.postgres?.[name],
    ];
    for (const [, inner] of pairs) visit(inner);
  };
  for (const [, type] of fieldTypes(args)) visit(type);
  visit(output);
  return found;
}

function remotesOf({ generated: { remotes = [] } }: GeneratedCode): Use[] {
  // The part of each role is compared for itself.
  return remotes.flatMap(({ roles, schema: _, timeout, customization: names, ...definition }) =>
    Object.keys(roles).map((role) => ({ role, name: definition.name, definition })),
  );
}

function compareServices(before: readonly Use[], after: readonly Use[], verb: string): Finding[] {
  return versionPairs(before, after, ({ name, role }) => [name, role]).flatMap(({ was, is }): Finding[] => {
    const { role, name } = (is ?? was)!;
    const finding = (verdict: Verdict, text: string): Finding[] =>
      role === ADMIN_ROLE ? [] : [{ verdict, subject: 'operations', role, text }];
    if (!was) return finding('wider', `may now ${verb} ${name}`);
    if (!is) return finding('narrower', `may no longer ${verb} ${name}`);
    return isDeepStrictEqual(was.definition, is.definition)
      ? []
      : finding('undecidable', `may ${verb} ${name}, which is defined otherwise`);
  });
}

function eventFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const triggersOf = ({ generated: { events } }: GeneratedCode) =>
    (events?.sources ?? []).flatMap(({ source, triggers }) =>
      triggers.map((trigger) => ({ source, trigger })),
    );
  const pairs = versionPairs(triggersOf(base), triggersOf(head), (each) => [each.source, each.trigger.name]);
  return pairs.flatMap(({ was, is }): Finding[] => {
    const { source, trigger } = (is ?? was)!;
    const table = `${trigger.table.schema}.${trigger.table.name}`;
    const finding = (verdict: Verdict, text: string): Finding[] => [
      { ...{ verdict, subject: 'rows', source, table }, text: `the event trigger ${trigger.name} ${text}` },
    ];
    if (!is) return finding('narrower', 'no longer sends its rows to a webhook');
    if (!was) return finding('undecidable', 'sends its rows to a webhook now');
    const changes = new Set(comparePayloads(was.trigger, trigger));
    if (!isDeepStrictEqual(withoutTimes(was.trigger), withoutTimes(trigger)) || changes.has('more'))
      return finding('undecidable', 'captures or sends otherwise');
    return changes.has('less') ? finding('narrower', 'sends less') : [];
  });
}

/** Everything but captures, which are compared by what they send, and what decides only when and in which order. */
function withoutTimes({ captures, order, cleanup, delivery, ...trigger }: EventTriggerShape): unknown {
  const { retry, ...sent } = delivery;
  return { ...trigger, ...sent };
}

/** What becomes of each capture. Texts that differ in the columns that are sent alone capture the same changes. */
function comparePayloads(was: EventTriggerShape, now: EventTriggerShape): ('more' | 'less')[] {
  const before = new Map(was.captures.map((capture) => [capture.operation, capture]));
  const kept = now.captures.flatMap((capture): ('more' | 'less')[] => {
    const old = before.get(capture.operation);
    if (!old || old.always !== capture.always || withoutColumns(old) !== withoutColumns(capture))
      return ['more'];
    const [from, to] = [old.sends, capture.sends];
    if (from === '*') return to !== '*' ? ['less'] : old.function === capture.function ? [] : ['more'];
    if (to === '*' || !to.every((name) => from.includes(name))) return ['more'];
    return from.every((name) => to.includes(name)) ? [] : ['less'];
  });
  const isFewer = was.captures.some(
    ({ operation }) => !now.captures.some((capture) => capture.operation === operation),
  );
  return [...kept, ...(isFewer ? (['less'] as const) : [])];
}

function withoutColumns({ function: text, trigger, sends }: CaptureShape): string {
  if (sends === '*') return trigger;
  const list = sends.map((name) => `'${name.replaceAll("'", "''")}'`).join(', ');
  return `${text.replaceAll(`array[${list}]::pg_catalog.text[]`, 'array[]')} ${trigger}`;
}

/** Calls that the clock causes. */
function cronFindings(base: GeneratedCode, head: GeneratedCode): Finding[] {
  const triggersOf = ({ generated: { events } }: GeneratedCode) => events?.cron ?? [];
  // When it is called decides nothing.
  const called = ({
    schedule,
    timezone,
    missed,
    tolerance,
    comment,
    delivery,
    ...trigger
  }: CronTriggerShape) => {
    const { retry, ...sent } = delivery;
    return { ...trigger, ...sent };
  };
  return versionPairs(triggersOf(base), triggersOf(head), ({ name }) => name).flatMap(
    ({ was, is }): Finding[] => {
      const finding = (verdict: Verdict, text: string): Finding[] => [
        { verdict, subject: 'operations', text: `the cron trigger ${(is ?? was)!.name} ${text}` },
      ];
      if (!is) return finding('narrower', 'no longer calls a webhook');
      if (!was) return finding('undecidable', 'calls a webhook now');
      if (isDeepStrictEqual(called(was), called(is))) return [];
      return finding('changed meaning', 'calls another webhook, or sends something else');
    },
  );
}
