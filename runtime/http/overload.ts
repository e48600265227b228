/**
 * Bounds the requests that are answered at once. What comes beyond is refused before anything of it is read, which takes less
 * than a millisecond, so that the requests that are answered do not all become slow. See also waiters.ts, the bound in
 * front of each database.
 */
import type { FastifyInstance } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { OPERATORS_PATHS } from './health.ts';

/** @param maximum 0 = unlimited */
export function limitRequests(app: FastifyInstance, maximum: number): void {
  if (maximum === 0) return;
  let running = 0;
  const end = () => {
    running -= 1;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (running >= maximum && !OPERATORS_PATHS.has(request.routeOptions.url)) {
      done(
        new EngineError('overloaded', 'the server answers as many requests as it may; this one was not read'),
      );
      return;
    }
    running += 1;
    // Unlike the hooks for answers, it comes when the client leaves, too.
    reply.raw.once('close', end);
    done();
  });
}
