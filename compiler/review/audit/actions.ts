/** The data that calls of actions send to each host, and whether it includes credentials of clients. */
import { handlerHost } from '../../../runtime/core/action/host.ts';
import type { ActionShape } from '../../../runtime/core/action/shapes.ts';
import type { Location } from '../../../runtime/core/diagnostics/diagnostic.ts';
import { environmentVariablesOf } from '../../../runtime/core/environment-template.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

export interface HostActions {
  /** The address in the metadata: `{{NAME}}` is an environment variable. */
  readonly host: string;
  readonly actions: readonly AuditedAction[];
}

interface AuditedAction {
  readonly name: string;
  readonly type: ActionShape['type'];
  readonly kind: ActionShape['kind'];
  readonly handler: string;
  /** Besides admin. */
  readonly roles: readonly string[];
  /** Name → type. */
  readonly input: Readonly<Record<string, string>>;
  /** Configured headers, with the environment variables that their values need. */
  readonly headers: readonly { readonly name: string; readonly environment: readonly string[] }[];
  /** All environment variables that the call needs. */
  readonly environment: readonly string[];
  /** Headers of clients are sent. */
  readonly forwards: boolean;
  /** Headers that identify the client are among them. */
  readonly credentials: readonly string[];
  readonly transforms: readonly ('request' | 'response')[];
  readonly location?: Location;
}

/** Headers by which clients identify themselves. */
const CREDENTIALS = ['authorization', 'cookie'] as const;

/** All actions by the host that they call. */
export function actionsByHost({ generated, locate }: GeneratedCode): HostActions[] {
  const hosts = new Map<string, AuditedAction[]>();
  for (const action of generated.actions?.actions ?? []) {
    const location = locate(action);
    const host = handlerHost(action);
    const audited = { ...auditedAction(action), ...(location && { location }) };
    hosts.set(host, [...(hosts.get(host) ?? []), audited]);
  }
  return [...hosts]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([host, actions]) => ({ host, actions }));
}

/** Actions that send credentials of clients to a host that is not trusted: `action → host`. */
export function untrustedCredentials(hosts: readonly HostActions[], trusted: readonly string[]): string[] {
  return hosts
    .filter(({ host }) => !trusted.includes(host))
    .flatMap(({ host, actions }) =>
      actions
        .filter(({ credentials }) => credentials.length > 0)
        .map(({ name, credentials }) => `${name} sends ${credentials.join(' and ')} of clients to ${host}`),
    );
}

function auditedAction(action: ActionShape): AuditedAction {
  const { name, type, kind, handler, roles, headers = [], forwardClientHeaders = false } = action;
  const named = headers.map((header) => ({
    name: header.name,
    environment: environmentVariablesOf(header.value),
  }));
  return {
    ...{ name, type, kind, handler, roles },
    input: Object.fromEntries(
      Object.entries(action.arguments).map(([key, argument]) => [key, argument.type]),
    ),
    headers: named,
    environment: [
      ...new Set([...environmentVariablesOf(handler), ...named.flatMap(({ environment }) => environment)]),
    ],
    forwards: forwardClientHeaders,
    credentials: forwardClientHeaders
      ? CREDENTIALS.filter((header) => !action.ignoredClientHeaders?.includes(header))
      : [],
    transforms: [
      ...(action.requestTransform ? (['request'] as const) : []),
      ...(action.responseTransform ? (['response'] as const) : []),
    ],
  };
}

/** `engine audit actions`. */
export function actionsText(label: string, hosts: readonly HostActions[]): string {
  const lines = [`actions   (${label})`];
  for (const { host, actions } of hosts) {
    lines.push('', host);
    for (const action of actions) {
      const { name, type, kind, roles, location } = action;
      const place = location ? `   ${location.file}:${location.line}` : '';
      lines.push(`  ${name}   ${kind} ${type}${place}`, ...details(action).map((line) => `      ${line}`));
      if (roles.length === 0) lines.push('      called by admin only');
      else lines.push(`      called by ${roles.join(', ')}`);
    }
  }
  if (hosts.length === 0) lines.push('', 'No action is served.');
  return `${lines.join('\n')}\n`;
}

function details(action: AuditedAction): string[] {
  const { kind, input, headers, environment, forwards, credentials, transforms } = action;
  const names = Object.entries(input).map(([name, type]) => `${name}: ${type}`);
  return [
    `sends ${names.length > 0 ? `arguments ${names.join(', ')}; ` : ''}all session variables${kind === 'synchronous' ? '; the document' : ''}`,
    ...(forwards
      ? [
          `sends headers of the client, ${credentials.length > 0 ? `${credentials.join(' and ')} included` : 'but no credentials'}`,
        ]
      : []),
    ...(headers.length > 0 ? [`sends configured headers ${headers.map(({ name }) => name).join(', ')}`] : []),
    ...(environment.length > 0 ? [`needs environment variables ${environment.join(', ')}`] : []),
    ...(transforms.length > 0 ? [`transforms the ${transforms.join(' and the ')}: read the templates`] : []),
  ];
}
