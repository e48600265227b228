/** Origins of pages: which may call, as `cors-domain` lists them. */
import { list, type OptionValue } from './values.ts';

const FORM = 'All domains should have scheme + (optional wildcard) host + (optional port)';
const WILDCARD = '*.';
/** The label that takes the wildcard's place where an entry is read as a URL. */
const LABEL = 'x';

/** What is wrong with an entry that is no origin; the first that holds. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/^null$/i, 'null is the origin of pages of any site, from a sandboxed frame for instance'],
  [/^(?![a-z][a-z\d+.-]*:\/\/)/i, 'the scheme is missing; write https://example.com'],
  [/@/, 'credentials are no part of an origin'],
  [
    /:\/\/([^[\]:]*:[^[\]:]*:|[^[\]]*:$)/,
    'an IPv6 address needs brackets, and a port digits: http://[::1]:3000',
  ],
  [/^[^:]*:\/\/($|[:/?#])/, 'the host is missing'],
  [/\s/, 'a blank is no part of an origin; separate domains with commas'],
  [/:\/\/[^/?#]*[/?#\\]/, 'nothing may follow the host and the port, not even a slash'],
  [/\*/, 'a wildcard stands for one whole label, the first of several: https://*.example.com'],
  [/:\/\/(\.|[^[]*\.\.)/, 'the host has an empty label'],
];

/** `cors-domain`: each entry is `*` or an origin, with an optional leading wildcard. */
export const origins: OptionValue<readonly string[]> = {
  placeholder: 'LIST',
  parse: (value) => {
    const domains = list.parse(value);
    originMatcher(domains);
    return domains;
  },
};

/** Tells whether requests from an origin are allowed. @throws Error if an entry is neither `*` nor an origin */
export function originMatcher(domains: readonly string[]): (origin: string) => boolean {
  const exact = new Set<string>();
  const wildcards: { readonly scheme: string; readonly rest: string }[] = [];
  for (const domain of domains) {
    if (domain === '*') continue;
    const [scheme = '', ...authority] = domain.split('://');
    const rest = authority.join('://');
    const isWildcard = rest.startsWith(WILDCARD) && rest.length > WILDCARD.length;
    const written = isWildcard ? `${scheme}://${LABEL}${rest.slice(1)}` : domain;
    const origin = canonical(written);
    if (origin === undefined) throw new Error(`invalid domain: '${domain}'. ${FORM}: ${fault(written)}`);
    if (isWildcard) {
      const start = origin.indexOf('://') + 3;
      wildcards.push({ scheme: origin.slice(0, start), rest: origin.slice(start + LABEL.length) });
    } else exact.add(origin);
  }
  if (domains.includes('*')) return () => true;
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

/** An origin as browsers send it: in lower case, hosts in ASCII, addresses shortened, without the scheme's own port. */
function canonical(origin: string): string | undefined {
  if (FAULTS.some(([pattern]) => pattern.test(origin)) || !URL.canParse(origin)) return undefined;
  const { protocol, host } = new URL(origin);
  return host === '' ? undefined : `${protocol}//${host}`.toLowerCase();
}

function fault(domain: string): string {
  const found = FAULTS.find(([pattern]) => pattern.test(domain));
  return found ? found[1] : 'the host or the port is not valid';
}
