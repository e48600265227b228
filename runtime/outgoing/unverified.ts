/** Hosts whose certificates are accepted as they are: `network.tls_allowlist` of the metadata. */
import type { UnverifiedHost } from '../core/settings.ts';

/** Whether the certificate of an address is not verified. A suffix narrows an entry to a port or to the paths below one. */
export function isUnverified(
  { protocol, hostname, port, pathname }: URL,
  hosts: readonly UnverifiedHost[],
): boolean {
  if (hosts.length === 0 || protocol !== 'https:') return false;
  return hosts.some(({ host, suffix }) => {
    if (host.toLowerCase() !== hostname.replace(/^\[(.*)\]$/, '$1')) return false;
    if (suffix === undefined) return true;
    if (/^:?\d+$/.test(suffix)) return suffix.replace(':', '') === (port === '' ? '443' : port);
    const path = `/${suffix.replace(/^\/|\/$/g, '')}`;
    return pathname === path || pathname.startsWith(`${path}/`);
  });
}
