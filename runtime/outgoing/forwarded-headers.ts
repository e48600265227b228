/** Which of a client's headers are sent on to services that are called for it. */
import type { IncomingHttpHeaders } from 'node:http';

/** About the client's own connection or document, not about what is asked. */
const IGNORED: ReadonlySet<string> = new Set([
  'content-length',
  'content-md5',
  'user-agent',
  'host',
  'origin',
  'referer',
  'accept',
  'accept-encoding',
  'accept-language',
  'accept-datetime',
  'cache-control',
  'connection',
  'dnt',
  'content-type',
]);

/** About one connection: passing them on would break, or let a client break, the next one. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The headers to send on, by lower-case name. @param ignored lower-case names that are left out */
export function forwardedHeaders(headers: IncomingHttpHeaders, ignored = IGNORED): Record<string, string> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ignored.has(name) || HOP_BY_HOP.has(name)) continue;
    if (name.startsWith('sec-websocket-')) continue;
    forwarded[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return forwarded;
}
