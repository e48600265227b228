/** Where calls to a remote schema go, as its metadata says. */
import type { RemoteAddress, RemoteSchemaShape } from '../core/remotes/shapes.ts';
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
  const named = headers.map((header): [string, RemoteAddress] => [
    header.name,
    'value' in header ? header.value : { fromEnv: header.value_from_env },
  ]);
  return {
    url: url.kind === 'template' ? url.template : { fromEnv: url.variable },
    ...(named.length > 0 && { headers: Object.fromEntries(named) }),
    ...(forward_client_headers && { forwardClientHeaders: true as const }),
    timeout: timeout_seconds,
  };
}
