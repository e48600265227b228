/**
 * Bounds the requests that are answered at once. What comes beyond is refused before anything of it is read, which takes less
 * than a millisecond, so that the requests that are answered do not all become slow. See also waiters.ts, the bound in
 * front of each database.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { isForOperators } from './health.ts';

/** Counts a request among those that are answered at once. False: it is one too many. @param always it is counted anyway */
export type Admit = (response: ServerResponse, always?: boolean) => boolean;

/** @param maximum 0 = unlimited */
export function limitRequests(
  app: FastifyInstance,
  maximum: number,
  report: (error: unknown) => void,
): Admit {
  if (maximum === 0) return () => true;
  let running = 0;
  const end = () => {
    running -= 1;
  };
  const admit: Admit = (response, always = false) => {
    if (running >= maximum && !always) return false;
    running += 1;
    // Unlike the hooks for answers, it comes when the client leaves, too.
    response.once('close', guarded(end, report));
    return true;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (admit(reply.raw, isForOperators(request.routeOptions.url))) done();
    else
      done(
        new EngineError('overloaded', 'the server answers as many requests as it may; this one was not read'),
      );
  });
  return admit;
}
