/**
 * Writes that a foreign site may have had a browser send. A browser attaches cookies by itself, so a request whose credentials
 * came from one proves nothing about who wrote it. It does if the browser asked this server first (a preflight, which CORS
 * answers), and if CORS names the site.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Configuration } from '../configuration/configuration.ts';
import { EngineError } from '../core/errors.ts';
import { ROLE, written } from '../session/variables.ts';

/** Methods that a page of any site can have sent without a preflight. */
const SIMPLE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);
/** Headers that no browser sends by itself, so that a page has to ask before it may. */
const OWN_HEADERS = ['x-requested-with', 'apollo-require-preflight', ROLE] as const;

interface SentRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Refuses a write whose credentials came from a cookie, unless no foreign site can have had it sent.
 * @throws EngineError access-denied
 */
export function refuseForeignWrite(request: SentRequest, configuration: Configuration): void {
  if (!wasAsked(request)) {
    throw denied(
      'a write with credentials from a cookie needs the content type application/json or the header X-Requested-With',
      'a page of any site can have a browser send the request with its cookies',
    );
  }
  if (!namesOrigin(request.headers, configuration)) {
    throw denied(
      'writes with credentials from a cookie are accepted from origins that cors-domain names',
      'the request comes from another origin, and cors-domain allows every one',
    );
  }
}

/** True if a browser would have sent the request only after a preflight. */
function wasAsked({ method, headers }: SentRequest): boolean {
  if (!SIMPLE_METHODS.has(method)) return true;
  // Forms, and bodies without a type, have others.
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return type === 'application/json' || OWN_HEADERS.some((name) => headers[written(name)] !== undefined);
}

/**
 * True unless a browser sent the request for another origin than this server's, which CORS lets through without naming it.
 * Where CORS is disabled, no preflight succeeds, so what got this far is of this origin.
 */
function namesOrigin(headers: IncomingHttpHeaders, { disableCors, corsDomain }: Configuration): boolean {
  return disableCors || !corsDomain.includes('*') || isOwnOrigin(headers);
}

/** True if the request comes from a page of this server, or from no page. */
export function isOwnOrigin(headers: IncomingHttpHeaders): boolean {
  const { origin, host } = headers;
  // Pages cannot set it, and proxies that change the host leave it.
  if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return true;
  return (
    /^https?:\/\//i.test(origin) && origin.replace(/^https?:\/\//i, '').toLowerCase() === host?.toLowerCase()
  );
}

function denied(message: string, why: string): EngineError {
  return new EngineError('access-denied', message, {
    reason: { rule: 'authentication.cookie', why, path: 'cors-domain' },
  });
}
