/** REST endpoints: reads beside the floors, and the time to find a route among few and among many endpoints. */
import { savedOperation } from '../../runtime/core/saved/saved-file.ts';
import { createRouter, type MatchRoute } from '../../runtime/graphql/saved/router.ts';
import { restCases } from './cases.ts';
import { servedProject } from './project.ts';
import { alignedTable, type CaseResult, median } from './results.ts';
import type { BenchOptions } from './rounds.ts';
import { benchServing } from './serving.ts';

export interface RoutingResult {
  readonly endpoints: number;
  /** Nanoseconds to find the route of a path; median over rounds. */
  readonly nanoseconds: number;
}

const FEW = 20;
const MANY = 2000;
const ROUNDS = 15;
const MATCHES = 200_000;

/** Serves the cases that make sense as endpoints. */
export function benchEndpoints(options: BenchOptions): Promise<CaseResult[]> {
  const project = servedProject();
  return benchServing(options, { ...project, cases: restCases(project.cases) });
}

/** The same paths, found in two tables of routes in alternating rounds. */
export function benchRouting(): RoutingResult[] {
  const paths = urls(FEW).map((url) =>
    url.split('/').map((segment, index) => (segment.startsWith(':') ? String(index) : segment)),
  );
  const tables = [FEW, MANY].map((endpoints) => ({
    endpoints,
    match: routerOf(endpoints),
    rounds: [] as number[],
  }));
  for (const { match } of tables) timeMatches(match, paths);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { match, rounds } of round % 2 === 0 ? tables : tables.toReversed())
      rounds.push(timeMatches(match, paths));
  return tables.map(({ endpoints, rounds }) => ({ endpoints, nanoseconds: median(rounds) }));
}

function routerOf(endpoints: number): MatchRoute {
  const operation = savedOperation({ collection: 'c', name: 'q', kind: 'query', document: '{ t }' });
  return createRouter(urls(endpoints).map((url) => ({ name: url, url, methods: ['GET'], operation })));
}

/** Literal ones, by key, and nested below a key; the first ones are the same however many there are. */
function urls(count: number): string[] {
  const forms = [
    (name: string) => name,
    (name: string) => `${name}/:id`,
    (name: string) => `${name}/:id/items/:item`,
  ];
  return Array.from({ length: count }, (_, index) => forms[index % 3]!(`resource-${Math.floor(index / 3)}`));
}

/** @throws unless every path has its one route */
function timeMatches(match: MatchRoute, paths: readonly (readonly string[])[]): number {
  let found = 0;
  const start = process.hrtime.bigint();
  for (let index = 0; index < MATCHES; index += 1)
    if (match('GET', paths[index % paths.length]!).kind === 'one') found += 1;
  const elapsed = Number(process.hrtime.bigint() - start);
  if (found < MATCHES) throw new Error('a path has no route, or several');
  return elapsed / MATCHES;
}

export function routingTable(results: readonly RoutingResult[]): string {
  const [few, many] = results as [RoutingResult, RoutingResult];
  const rows = results.map(({ endpoints, nanoseconds }) => [String(endpoints), nanoseconds.toFixed(0)]);
  const ratio = `${MANY} endpoints to ${FEW}: ${(many.nanoseconds / few.nanoseconds).toFixed(2)}`;
  return `${alignedTable([['endpoints', 'ns per match'], ...rows])}\n${ratio}`;
}
