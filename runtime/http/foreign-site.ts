/**
 * Writes that a foreign site may have had a browser send. A browser attaches cookies by itself, so a request whose credentials
 * came from one proves nothing about who wrote it. It does if the browser asked this server first (a preflight, which CORS
 * answers), and if CORS names the site.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { type Configuration, isUnprotected, optionVariable } from '../configuration/configuration.ts';
import { originMatcher } from '../configuration/origins.ts';
import { EngineError } from '../core/errors.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { ROLE } from '../session/variables.ts';

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
  if (!wasAsked(request, configuration.vocabulary)) {
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
function wasAsked({ method, headers }: SentRequest, vocabulary: Vocabulary): boolean {
  if (!SIMPLE_METHODS.has(method)) return true;
  // Forms, and bodies without a type, have others.
  const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase();
  return (
    type === 'application/json' ||
    OWN_HEADERS.some((name) => headers[vocabulary.fromCanonical(name)] !== undefined)
  );
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

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for an address of this machine. Names are not looked up: what they lead to may change. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version !== 0 && loopback.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Of people: `/`, the console and GraphiQL, none of which does anything by being opened. */
const PAGES = /^\/(?:(?:console|graphiql)(?:[/?].*)?|\?.*)?$/;

/** Throws EngineError access-denied for a request that a page of another site may have had a browser send. */
export type RefusePages = (request: {
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}) => void;

/**
 * With `refuse-foreign-pages`, for a server without an admin secret, which nobody but a browser on the same machine reaches from elsewhere:
 * any page that is open in it could be the administrator. Pages of this machine may be, and those that `cors-domain` names. A page whose
 * own name was made to lead here (DNS rebinding) is known by the name in `Host`. Undefined for other servers.
 */
export function openServerPages(configuration: Configuration): RefusePages | undefined {
  if (!isUnprotected(configuration) || !configuration.refuseForeignPages) return undefined;
  const { vocabulary } = configuration;
  const refusedPage = (what: string, instead: string) => pageRefusal(what, instead, vocabulary);
  const nameIt = `name the page in ${optionVariable('corsDomain', vocabulary)}`;
  const isNamed = originMatcher(configuration.corsDomain.filter((domain) => domain !== '*'));
  return ({ url = '', headers }) => {
    const { host, origin } = headers;
    const name = host === undefined ? undefined : hostName(`http://${host}`);
    if (host !== undefined && !(name !== undefined && (isIP(name) !== 0 || isOfThisMachine(name))))
      throw refusedPage(`the request is for the host ${JSON.stringify(host)}`, 'ask for localhost');
    if (origin === undefined) {
      // Pictures, scripts and links of pages have no origin. A link may lead to the pages for people.
      if (headers['sec-fetch-site'] === 'cross-site' && !PAGES.test(url))
        throw refusedPage('a browser sent the request for a page of another site', nameIt);
      return;
    }
    if (isNamed(origin)) return;
    const from = hostName(origin);
    if (from === undefined || !isOfThisMachine(from))
      throw refusedPage(`the request comes from a page of ${JSON.stringify(origin)}`, nameIt);
  };
}

/** Without the brackets of IPv6; undefined for what is not an address of the web. */
function hostName(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, protocol } = new URL(url);
  return /^https?:$/.test(protocol) ? hostname.replace(/^\[|\]$/g, '') : undefined;
}

function isOfThisMachine(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name);
}

/** @param instead what helps beside a secret */
function pageRefusal(what: string, instead: string, vocabulary: Vocabulary): EngineError {
  return new EngineError(
    'access-denied',
    `${what}, and there is no admin secret: only pages and hosts of this machine are answered. Set ${optionVariable('adminSecret', vocabulary)}, or ${instead}`,
  );
}
