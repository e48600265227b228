/**
 * Bounds the requests that are answered at once. What comes beyond is refused before anything of it is read, which takes less
 * than a millisecond, so that the requests that are answered do not all become slow. See also waiters.ts, the bound in
 * front of each database.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { EngineError } from '../core/errors.ts';
import { guarded } from '../core/guarded.ts';
import { remember } from '../core/remember.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { operatorsPaths } from './health.ts';

/** Counts a request among those that are answered at once. False: it is one too many. @param always it is counted anyway */
export type Admit = (response: ServerResponse, always?: boolean) => boolean;

/** @param maximum 0 = unlimited */
export function limitRequests(
  app: FastifyInstance,
  maximum: number,
  vocabulary: Vocabulary,
  report: (error: unknown) => void,
): Admit {
  if (maximum === 0) return () => true;
  const forOperators = operatorsPaths(vocabulary);
  let running = 0;
  /** Answers that are owed on each connection. */
  const owed = new WeakMap<Socket, Set<ServerResponse>>();
  const owedOn = (socket: Socket) =>
    remember(owed, socket, () => {
      const responses = new Set<ServerResponse>();
      // Of an answer that waits behind another one of its connection nothing else says that the client left.
      const gone = () => {
        for (const response of responses) end(response, responses);
      };
      socket.once('close', guarded(gone, report));
      return responses;
    });
  const end = (response: ServerResponse, responses: Set<ServerResponse>) => {
    if (responses.delete(response)) running -= 1;
  };
  const admit: Admit = (response, always = false) => {
    const { socket } = response.req;
    if (running >= maximum && !always) return false;
    running += 1;
    const responses = owedOn(socket).add(response);
    const ended = () => end(response, responses);
    response.once('close', guarded(ended, report));
    return true;
  };
  app.addHook('onRequest', (request, reply, done) => {
    if (admit(reply.raw, forOperators.has(request.routeOptions.url))) done();
    else
      done(
        new EngineError('overloaded', 'the server answers as many requests as it may; this one was not read'),
      );
  });
  return admit;
}
