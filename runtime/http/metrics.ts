/** GET /v1/metrics: figures in Prometheus' text format, protected by the metrics secret. */
import { EngineError } from '../core/errors.ts';
import type { Metrics, MetricsState } from '../metrics/metrics.ts';
import { secretMatcher } from '../session/secrets.ts';
import { authenticateAdmin, type Endpoints } from './context.ts';

/**
 * Without a metrics secret the figures are for administrators.
 * @param state of what is served now
 */
export function metricsEndpoints(metrics: Metrics, state: MetricsState): Endpoints {
  return (app, context) => {
    const { metricsSecret } = context.configuration;
    const isSecret = metricsSecret === undefined ? undefined : secretMatcher([`Bearer ${metricsSecret}`]);
    const connections = () =>
      new Promise<number>((resolve, reject) => {
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
    app.get('/v1/metrics', async (request, reply) => {
      if (!isSecret) await authenticateAdmin(context, request);
      else if (!isSecret(request.headers.authorization ?? ''))
        throw new EngineError('access-denied', 'the metrics secret is missing or wrong', { status: 401 });
      return reply
        .header('content-type', metrics.contentType)
        .send(await metrics.print(state, await connections()));
    });
  };
}
