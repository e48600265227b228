/** Which origins browsers may call from. Allowed origins are echoed, never answered with `*`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Configuration, ConfigurationError } from '../configuration/configuration.ts';
import { vocabulary } from '../core/vocabulary.ts';
import { addVary } from './compression.ts';

const ALLOWED_METHODS = 'GET,POST,PUT,PATCH,DELETE,OPTIONS';

const DOMAIN = /^(https?):\/\/(\*\.)?([^\s/*:]+)(:\d+)?$/i;

/** Tells whether requests from an origin are allowed. @throws ConfigurationError if an entry is not a domain */
export function originMatcher(domains: readonly string[]): (origin: string) => boolean {
  if (domains.includes('*')) return () => true;
  const exact = new Set<string>();
  const wildcards: { readonly scheme: string; readonly rest: string }[] = [];
  for (const domain of domains) {
    const match = DOMAIN.exec(domain);
    if (!match) {
      throw new ConfigurationError(
        `invalid domain: '${domain}'. All domains should have scheme + (optional wildcard) host + (optional port)`,
      );
    }
    const [, scheme, wildcard, host, port = ''] = match;
    if (wildcard)
      wildcards.push({ scheme: `${scheme!}://`.toLowerCase(), rest: `.${host!}${port}`.toLowerCase() });
    else exact.add(domain.toLowerCase());
  }
  return (origin) => {
    const lower = origin.toLowerCase();
    if (exact.has(lower)) return true;
    return wildcards.some(({ scheme, rest }) => {
      if (!lower.startsWith(scheme) || !lower.endsWith(rest)) return false;
      const label = lower.slice(scheme.length, lower.length - rest.length);
      return label !== '' && !/[./:]/.test(label);
    });
  };
}

/** Answers preflights and adds the headers to every answer for an allowed origin. */
export function installCors(app: FastifyInstance, configuration: Configuration): void {
  if (configuration.disableCors) return;
  const named = ['Query-Cache-Key', 'Query-Family-Cache-Key'];
  if (configuration.readYourWrites === 'header') named.push('Lsn');
  const exposed = [...named.map((name) => vocabulary().titled(name)), 'Warning'].join();
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
