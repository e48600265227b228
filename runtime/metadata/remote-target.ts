/** Where calls to a remote schema go, as its metadata says. */
import type { RemoteSchemaShape } from '../core/remotes/shapes.ts';
import type { RemoteSchema } from './metadata.ts';

/** Where calls go, and what goes along. */
export function remoteTarget({
  url,
  headers,
  timeout_seconds,
  forward_client_headers,
}: RemoteSchema['definition']): Pick<
  RemoteSchemaShape,
  'url' | 'headers' | 'timeout' | 'forwardClientHeaders'
> {
  return {
    url,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    }),
    ...(forward_client_headers && { forwardClientHeaders: true as const }),
    timeout: timeout_seconds,
  };
}
