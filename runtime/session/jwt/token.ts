/** Where requests carry their tokens. */
import type { IncomingHttpHeaders } from 'node:http';
import { EngineError } from '../../core/errors.ts';
import { single } from '../variables.ts';
import type { TokenPlace } from './configuration.ts';

/** The token at a location of a request; undefined if absent. @throws EngineError invalid-headers */
export function tokenAt(place: TokenPlace, headers: IncomingHttpHeaders): string | undefined {
  switch (place.type) {
    case 'Authorization': {
      const { authorization } = headers;
      if (authorization === undefined) return undefined;
      const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
      if (token === undefined) throw new EngineError('invalid-headers', 'Malformed Authorization header');
      return token;
    }
    case 'Cookie':
      return cookie(place.name, headers.cookie);
    case 'CustomHeader':
      return single(headers[place.name.toLowerCase()])?.trim() || undefined;
  }
}

/** The first cookie of a name. */
function cookie(name: string, header: string | undefined): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [written = '', ...value] = part.split('=');
    if (written.trim() === name) return value.join('=').trim() || undefined;
  }
  return undefined;
}
