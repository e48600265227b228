/** The data that event triggers and cron triggers send to each host: columns, headers, signatures. */

import type { DeliveryShape, EventTriggerShape } from '../../../runtime/core/contract/events.ts';
import { environmentVariablesOf, shownText } from '../../../runtime/core/environment-template.ts';
import { displayName, objectKey } from '../../../runtime/core/names.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

export interface HostEvents {
  /** The address in the metadata: `{{NAME}}` is an environment variable. */
  readonly host: string;
  readonly triggers: readonly AuditedTrigger[];
}

interface AuditedTrigger {
  readonly name: string;
  readonly kind: 'event trigger' | 'cron trigger';
  readonly webhook: string;
  /** Event triggers only. */
  readonly source?: string;
  readonly table?: string;
  /** Columns that an operation sends; `later`: and all that the table gets. */
  readonly sends?: readonly {
    readonly operation: string;
    readonly columns: readonly string[];
    readonly later: boolean;
  }[];
  /** A payload given by hand is sent. */
  readonly manual: boolean;
  readonly headers: readonly { readonly name: string; readonly environment: readonly string[] }[];
  /** Environment variables with the secrets that sign calls; none: calls are not signed. */
  readonly signedBy: readonly string[];
  /** All environment variables that the call needs. */
  readonly environment: readonly string[];
  /** A template decides what is sent. */
  readonly transforms: boolean;
}

/** All event triggers and cron triggers by the host that they call. */
export function eventsByHost({ generated, program }: GeneratedCode): HostEvents[] {
  const hosts = new Map<string, AuditedTrigger[]>();
  const add = (
    delivery: DeliveryShape,
    trigger: Omit<AuditedTrigger, keyof ReturnType<typeof delivered>>,
  ) => {
    const host = hostOf(delivery);
    hosts.set(host, [...(hosts.get(host) ?? []), { ...trigger, ...delivered(delivery) }]);
  };
  for (const { source, triggers } of generated.events?.sources ?? [])
    for (const trigger of triggers) {
      const { name, table, manual, delivery } = trigger;
      const columns = () => {
        const key = objectKey(table.schema, table.name);
        const found = program.tables.find((each) => each.key === key && each.source.name === source);
        return Object.keys(found?.shape.columns ?? {});
      };
      const sends = sent(trigger, columns);
      const shown = displayName(table.schema, table.name);
      add(delivery, { name, kind: 'event trigger', source, table: shown, sends, manual });
    }
  for (const { name, delivery } of generated.events?.cron ?? [])
    add(delivery, { name, kind: 'cron trigger', manual: false });
  return [...hosts]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([host, triggers]) => ({ host, triggers }));
}

function sent({ captures }: EventTriggerShape, all: () => readonly string[]) {
  return captures.map(({ operation, sends }) => ({
    operation,
    columns: sends === '*' ? all() : sends,
    later: sends === '*',
  }));
}

function delivered({ webhook, headers, requestTransform, signing = [] }: DeliveryShape) {
  const named = headers.map((header) => ({
    name: header.name,
    environment: environmentVariablesOf(header.value),
  }));
  return {
    webhook: shownText(webhook),
    headers: named,
    signedBy: signing,
    environment: [
      ...new Set([
        ...environmentVariablesOf(webhook),
        ...named.flatMap(({ environment }) => environment),
        ...signing,
      ]),
    ],
    transforms: requestTransform !== undefined,
  };
}

/** The host of the webhook, or of the transform that replaces it; a variable is shown as a whole address. */
function hostOf({ webhook, requestTransform }: DeliveryShape): string {
  const { url } = (requestTransform ?? {}) as { readonly url?: unknown };
  const address = typeof url === 'string' && /^https?:/i.test(url) ? url : shownText(webhook);
  const [, authority] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(address) ?? [];
  return authority ?? /^\{\{[^}]*\}\}/.exec(address)?.[0] ?? address;
}

/** `engine audit events`. */
export function eventsText(label: string, hosts: readonly HostEvents[]): string {
  const lines = [`events   (${label})`];
  for (const { host, triggers } of hosts) {
    lines.push('', host);
    for (const trigger of triggers) {
      const { name, kind, source, table } = trigger;
      const place = table === undefined ? '' : ` on ${source} · ${table}`;
      lines.push(`  ${name}   ${kind}${place}`, ...details(trigger).map((line) => `      ${line}`));
    }
  }
  if (hosts.length === 0) lines.push('', 'There are no event triggers and no cron triggers.');
  return `${lines.join('\n')}\n`;
}

function details({ sends, manual, headers, signedBy, environment, transforms }: AuditedTrigger): string[] {
  return [
    ...(sends ?? []).map(
      ({ operation, columns, later }) =>
        `${operation} sends ${columns.join(', ')}${later ? ', and columns that are added later' : ''}`,
    ),
    ...(sends ? ['sends session variables of the writer'] : ['sends its payload']),
    ...(manual ? ['sends payloads given by hand'] : []),
    ...(headers.length > 0 ? [`sends headers ${headers.map(({ name }) => name).join(', ')}`] : []),
    signedBy.length > 0 ? `signed with ${signedBy.join(', ')}` : 'not signed',
    ...(environment.length > 0 ? [`needs environment variables ${environment.join(', ')}`] : []),
    ...(transforms ? ['transforms the request: read the template'] : []),
  ];
}
