/**
 * REST routes by segment: a request walks down one level of maps per segment, so its time depends on the length of its
 * path and not on how many endpoints there are.
 * @rule Which REST route answers a request?
 */
import type { RestMethod, RestRoute } from '../../core/saved/saved.ts';

type RouteMatch = (
  | { readonly kind: 'one'; readonly route: RestRoute; readonly values: ReadonlyMap<string, string> }
  | { readonly kind: 'none' }
  /** The path is known, but not with this method. */
  | { readonly kind: 'otherMethods'; readonly methods: readonly RestMethod[] }
  | { readonly kind: 'several' }
) & {
  /** Segments that are values of a variable, for any of the routes with the path. */
  readonly variables: Entry['variables'];
};

/** @param path decoded segments below `/api/rest/` */
export type MatchRoute = (method: string, path: readonly string[]) => RouteMatch;

interface Node {
  readonly literals: Map<string, Node>;
  /** Below any value. */
  variable?: Node;
  readonly routes: Entry[];
}

interface Entry {
  readonly route: RestRoute;
  /** Variables of the URL, and which segments they are. */
  readonly variables: readonly (readonly [name: string, segment: number])[];
}

const METHODS: readonly RestMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Builds the tree of routes. */
export function createRouter(routes: readonly RestRoute[]): MatchRoute {
  const root: Node = { literals: new Map(), routes: [] };
  for (const route of routes) {
    let node = root;
    for (const segment of route.url.split('/')) node = child(node, segment);
    node.routes.push({ route, variables: variablesOf(route) });
  }
  return (method, path) => {
    const found: Entry[] = [];
    collect(root, path, 0, found);
    const usable = found.filter(({ route }) => (route.methods as readonly string[]).includes(method));
    const variables = found.flatMap((each) => each.variables);
    const [entry] = usable;
    if (entry && usable.length === 1) {
      const values = new Map(entry.variables.map(([name, segment]) => [name, path[segment]!]));
      return { kind: 'one', route: entry.route, values, variables };
    }
    if (usable.length > 1) return { kind: 'several', variables };
    if (found.length === 0) return { kind: 'none', variables };
    const methods = METHODS.filter((each) => found.some(({ route }) => route.methods.includes(each)));
    return { kind: 'otherMethods', methods, variables };
  };
}

function child(node: Node, segment: string): Node {
  if (segment.startsWith(':')) {
    node.variable ??= { literals: new Map(), routes: [] };
    return node.variable;
  }
  const known = node.literals.get(segment) ?? { literals: new Map(), routes: [] };
  node.literals.set(segment, known);
  return known;
}

function collect(node: Node, path: readonly string[], depth: number, found: Entry[]): void {
  if (depth === path.length) {
    found.push(...node.routes);
    return;
  }
  const segment = path[depth]!;
  const literal = node.literals.get(segment);
  if (literal) collect(literal, path, depth + 1, found);
  if (node.variable && segment !== '') collect(node.variable, path, depth + 1, found);
}

function variablesOf({ url }: RestRoute): Entry['variables'] {
  return url
    .split('/')
    .flatMap((segment, index) => (segment.startsWith(':') ? [[segment.slice(1), index] as const] : []));
}
