/**
 * GET /v1/metrics: figures in Prometheus' text format, protected by the metrics secret. GET /dev/ekg: the same figures as JSON,
 * for administrators.
 */
import { EngineError } from '../core/errors.ts';
import type { Metrics, MetricsState } from '../observe/metrics/metrics.ts';
import type { Figures } from '../observe/metrics/sum.ts';
import { secretMatcher } from '../session/secrets.ts';
import { adminEndpoint, authenticateAdmin, type Endpoints } from './context.ts';

/** The figures of all workers of a server. */
interface AllFigures {
  readonly gather: () => Promise<readonly Figures[]>;
  /** How those of this worker are read. */
  readonly provide: (figures: () => Promise<Figures>) => void;
}

/**
 * Each where its API is enabled. Without a metrics secret all figures are for administrators.
 * @param state of what is served now
 * @param all where there are several workers
 */
export function metricsEndpoints(metrics: Metrics, state: MetricsState, all?: AllFigures): Endpoints {
  return (app, context) => {
    const { metricsSecret, enabledApis } = context.configuration;
    const isSecret = metricsSecret === undefined ? undefined : secretMatcher([`Bearer ${metricsSecret}`]);
    const connections = () =>
      new Promise<number>((resolve, reject) => {
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
    const read = async () => metrics.read(state, await connections());
    all?.provide(async () => {
      await read();
      return metrics.figures();
    });
    const gather = async () => (all ? all.gather() : void (await read()));
    if (enabledApis.includes('developer'))
      adminEndpoint(app, context, 'GET', '/dev/ekg', async () => metrics.report(await gather()));
    if (!enabledApis.includes('metrics')) return;
    app.get('/v1/metrics', async (request, reply) => {
      if (!isSecret) await authenticateAdmin(context, request.own);
      else if (!isSecret(request.headers.authorization ?? ''))
        throw new EngineError('access-denied', 'the metrics secret is missing or wrong', { status: 401 });
      return reply.header('content-type', metrics.contentType).send(await metrics.print(await gather()));
    });
  };
}
