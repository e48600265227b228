/** Which origins browsers may call from. Allowed origins are echoed, never answered with `*`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { originMatcher } from '../configuration/origins.ts';
import { addVary } from './compression.ts';

const ALLOWED_METHODS = 'GET,POST,PUT,PATCH,DELETE,OPTIONS';

/** Answers preflights and adds the headers to every answer for an allowed origin. */
export function installCors(app: FastifyInstance, configuration: Configuration): void {
  if (configuration.disableCors) return;
  const { vocabulary } = configuration;
  const named = ['Query-Cache-Key', 'Query-Family-Cache-Key'];
  if (configuration.readYourWrites === 'header') named.push('Lsn');
  const exposed = [...named.map((name) => vocabulary.titled(name)), 'Warning'].join();
  const allows = originMatcher(configuration.corsDomain);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origin === undefined) {
      done();
      return;
    }
    addVary(reply.getHeader('vary'), (value) => reply.header('vary', value), 'Origin');
    const allowed = allows(origin);
    if (allowed) allow(reply, origin, exposed);
    if (!allowed || request.method !== 'OPTIONS') {
      done();
      return;
    }
    reply
      .code(204)
      .header('access-control-max-age', '1728000')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '')
      .header('content-type', 'text/plain; charset=utf-8')
      .send();
  });
}

function allow(reply: FastifyReply, origin: string, exposed: string): void {
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-allow-credentials', 'true')
    .header('access-control-allow-methods', ALLOWED_METHODS)
    .header('access-control-expose-headers', exposed);
}
