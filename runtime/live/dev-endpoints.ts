/** GET /dev/subscriptions, /dev/subscriptions/extended and /dev/cache: what is read and kept for whom, for administrators. */
import { createHash } from 'node:crypto';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { CurrentlyServed } from '../graphql/answer.ts';
import { adminEndpoint, type Endpoints } from '../http/context.ts';
import type { Cohort } from './cohort.ts';
import type { LiveQueries } from './live-queries.ts';
import type { Poller, PollerOptions } from './poller.ts';
import type { ResponseCache } from './response-cache.ts';

/** They hold values of sessions and variables, so the API `developer` has to be enabled. */
export function subscriptionEndpoints({ pollers, paces }: LiveQueries): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('developer')) return;
    const report = (extended: boolean) => {
      const map = (isStream: boolean) =>
        pollers()
          .filter(({ plan }) => (plan.cursor !== undefined) === isStream)
          .map((poller) => describe(poller, extended, context.configuration.vocabulary));
      return {
        options: optionsOf(paces.liveQueries),
        live_queries_map: map(false),
        stream_queries_map: map(true),
        stream_queries_options: optionsOf(paces.streams),
      };
    };
    adminEndpoint(app, context, 'GET', '/dev/subscriptions', () => report(false));
    adminEndpoint(app, context, 'GET', '/dev/subscriptions/extended', () => report(true));
  };
}

/** The queries with `@cached` that are planned, and why the answers of some are not kept. */
export function cacheEndpoints(current: CurrentlyServed, cache: ResponseCache): Endpoints {
  return (app, context) => {
    if (!context.configuration.enabledApis.includes('developer')) return;
    adminEndpoint(app, context, 'GET', '/dev/cache', () => {
      const { planner, saved } = current();
      const planned = planner
        .list()
        .flatMap(({ schema: { role }, name, query, plans }) =>
          plans.map((plan) => ({ role, name, query, plan })),
        );
      const generated = saved.plans
        .list()
        .map(({ operation: { name, document }, role, plan }) => ({ role, name, query: document, plan }));
      const queries = [...planned, ...generated].flatMap(({ role, name, query, plan }) => {
        if (plan.kind !== 'query' || !plan.cached) return [];
        const known = cache.of(plan);
        return {
          role: role ?? null,
          operation_name: name ?? null,
          query,
          answers: known?.answers ?? 0,
          hits: known?.hits ?? 0,
          misses: known?.misses ?? 0,
          not_kept_because: ('refused' in plan.cached ? plan.cached.refused : known?.refused) ?? null,
        };
      });
      return { queries };
    });
  };
}

function optionsOf({ batchSize, interval }: Pick<PollerOptions, 'batchSize' | 'interval'>): object {
  return { batch_size: batchSize, refetch_delay: interval / 1000 };
}

function describe(poller: Poller, extended: boolean, vocabulary: Vocabulary): object {
  const { plan, id, cohorts, polledBecause } = poller;
  return {
    source: plan.source,
    role: plan.role,
    thread_id: String(process.pid),
    poller_id: id,
    multiplexed_query: plan.text,
    cohort_count: cohorts.size,
    polled_because: polledBecause ?? null,
    cohorts: extended
      ? [...cohorts.values()].map((cohort) => describeCohort(plan, cohort, vocabulary))
      : null,
    parameterized_query_hash: createHash('sha1').update(plan.text).digest('hex'),
  };
}

function describeCohort(
  { parameters, cursor }: Poller['plan'],
  cohort: Cohort,
  vocabulary: Vocabulary,
): object {
  const session: Record<string, string | null> = {};
  const position: Record<string, string | null> = {};
  const synthetic: (string | null)[] = [];
  parameters.forEach(({ source }, index) => {
    const value = cohort.values[index] ?? null;
    if (source.from === 'session') session[vocabulary.fromCanonical(source.name)] = value;
    else if (source.from === 'cursor') position[cursor!.field] = value;
    else synthetic.push(value);
  });
  const waiting = [...cohort.subscribers].filter(
    ({ hash, failure }) => hash === undefined && failure === undefined,
  );
  return {
    variables: { session, query: {}, synthetic, cursor: position },
    cohort: {
      resp_id: null,
      current_ops: cohort.subscribers.size - waiting.length,
      new_ops: waiting.length,
      previous_result_hash: cohort.hash ?? null,
    },
  };
}
