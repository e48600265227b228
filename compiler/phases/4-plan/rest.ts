/** Plans REST endpoints as routes, and reports invalid and ambiguous ones. */

import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { at, type Diagnostic, type Message } from '../../../runtime/core/diagnostics/diagnostic.ts';
import type { Result } from '../../../runtime/core/diagnostics/result.ts';
import type { RestRoute, SavedOperation } from '../../../runtime/core/saved/saved.ts';
import type { Json, Metadata, RestEndpoint } from '../../../runtime/metadata/metadata.ts';

/** A saved query, or why it cannot be run. */
export type KnownQuery = { readonly operation: SavedOperation } | { readonly problem: 'none' | 'several' };

/** @param find finds a query by collection and name; undefined if it does not exist */
export function planRoutes(
  metadata: Metadata,
  find: (collection: string, name: string) => KnownQuery | undefined,
): Result<readonly RestRoute[]> {
  const diagnostics: Diagnostic[] = [];
  const routes: Candidate[] = [];
  const collections = new Set(metadata.query_collections.map(({ name }) => name));
  for (const endpoint of metadata.rest_endpoints) {
    const { name, url, methods, comment } = endpoint;
    const { collection_name: collection, query_name: query } = endpoint.definition.query;
    const leaveOut = (problem: Message, context = inEndpoint(endpoint)) =>
      diagnostics.push(inconsistent(endpoint, problem, `${context}${problem.message}`));
    const variables = url.split('/').filter((segment) => segment.startsWith(':'));
    const known = find(collection, query);
    const unreachable = unreachableSegment(url);
    if (url.split('/').some((segment) => segment === '' || segment === ':'))
      leaveOut(messages.endpointEmptySegment({ url }), '');
    else if (unreachable) leaveOut(messages.endpointUnreachable({ url, ...unreachable }), '');
    else if (new Set(variables).size < variables.length)
      leaveOut(messages.endpointDuplicateVariable({ url }), '');
    else if (!collections.has(collection)) leaveOut(messages.endpointWithoutCollection({ collection }));
    else if (!known) leaveOut(messages.endpointWithoutQuery({ query, collection }));
    else if ('problem' in known)
      leaveOut(
        known.problem === 'none'
          ? messages.endpointQueryEmpty({ query })
          : messages.endpointQuerySeveral({ query }),
      );
    else if (known.operation.kind === 'subscription') leaveOut(messages.endpointSubscription({ query }));
    else {
      const { operation } = known;
      const route = { name, url, methods, operation, ...(comment === undefined ? {} : { comment }) };
      const undeclared = variables.find(
        (variable) => !Object.hasOwn(operation.variables ?? {}, variable.slice(1)),
      );
      routes.push({
        route,
        endpoint,
        ...(undeclared !== undefined && {
          problem: messages.endpointUndeclaredVariable({ variable: undeclared.slice(1), query }),
        }),
      });
    }
  }
  routes.sort((left, right) => (left.route.url < right.route.url ? -1 : 1));
  const ambiguous = ambiguousGroups(routes.map(({ route }) => route));
  for (const group of ambiguous) {
    const urls = group.map(({ url }) => url).join(', ');
    const { path } = routes.find(({ route }) => route === group[0])!.endpoint;
    const problem = messages.endpointsAmbiguous({ urls });
    diagnostics.push(at(path, problem, { reason: problem.message, conflicts: group.map(conflictEntry) }));
  }
  const reported = new Set(ambiguous.flat());
  for (const { route, endpoint, problem } of routes) {
    if (problem && !reported.has(route))
      diagnostics.push(inconsistent(endpoint, problem, `${inEndpoint(endpoint)}${problem.message}`));
  }
  // Ambiguous ones stay: a path that only one of them matches is served, one that several match is refused.
  return { value: routes.flatMap(({ route, problem }) => (problem ? [] : [route])), diagnostics };
}

interface Candidate {
  readonly route: RestRoute;
  readonly endpoint: RestEndpoint;
  /** Why each of its requests would be refused. */
  readonly problem?: Message;
}

function inEndpoint({ name }: RestEndpoint): string {
  return `Inconsistent object: in endpoint ${name}: `;
}

/** Segments that the path of no request has, and why. */
const UNREACHABLE: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /\?/,
    'the path of an address ends at "?"; the operation alone says which variables a query string may have',
  ],
  [/#/, 'an address ends at "#" for a server'],
  [/^\.\.?$/, 'clients leave such segments out of an address'],
  [/%[\da-f]{2}/i, 'segments are compared decoded, so write it without percent-encoding'],
  [/\p{Surrogate}/u, 'it is not Unicode text'],
];

function unreachableSegment(url: string): { readonly segment: string; readonly why: string } | undefined {
  for (const segment of url.split('/')) {
    const found = UNREACHABLE.find(([pattern]) => pattern.test(segment));
    if (found) return { segment, why: found[1] };
  }
  return undefined;
}

function inconsistent(endpoint: RestEndpoint, problem: Message, reason: string): Diagnostic {
  const { name, url, methods, comment, definition } = endpoint;
  const { collection_name, query_name } = definition.query;
  return at(endpoint.path, problem, {
    type: 'rest_endpoint',
    name: `rest_endpoint ${name}`,
    reason,
    definition: {
      comment: comment ?? null,
      definition: { query: { collection_name, query_name } },
      methods: [...methods],
      name,
      url,
    },
  });
}

function conflictEntry({ name, url, methods, comment, operation }: RestRoute): Json {
  return {
    comment: comment ?? null,
    definition: { query: operation.document },
    methods: [...methods],
    name,
    url,
  };
}

/** Routes that share a method and match a common path, in groups. */
function ambiguousGroups(routes: readonly RestRoute[]): RestRoute[][] {
  const leaders = routes.map((_, index) => index);
  const leaderOf = (index: number): number => (leaders[index] === index ? index : leaderOf(leaders[index]!));
  const segments = routes.map(({ url }) => url.split('/'));
  routes.forEach((route, index) => {
    for (let other = 0; other < index; other += 1) {
      const sharesMethod = route.methods.some((method) => routes[other]!.methods.includes(method));
      if (sharesMethod && overlap(segments[index]!, segments[other]!))
        leaders[leaderOf(index)] = leaderOf(other);
    }
  });
  const groups = new Map<number, RestRoute[]>();
  routes.forEach((route, index) => {
    const leader = leaderOf(index);
    groups.set(leader, [...(groups.get(leader) ?? []), route]);
  });
  return [...groups.values()].filter((group) => group.length > 1);
}

function overlap(left: readonly string[], right: readonly string[]): boolean {
  return (
    left.length === right.length &&
    left.every((segment, index) => {
      const other = right[index]!;
      return segment === other || segment.startsWith(':') || other.startsWith(':');
    })
  );
}
