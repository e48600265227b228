/**
 * Which targets may be called. Names are checked before DNS, addresses after it and immediately before the connection, so
 * that a name cannot lead to another address than the one that was checked.
 * @rule Which hosts may be called?
 */
import { type LookupAddress, type LookupOptions, lookup as lookupName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { lazy } from '../core/remember.ts';
import { OutgoingError } from './error.ts';

export interface TargetRules {
  /** Host names, `*.domain`, addresses or CIDR blocks. Empty: every target that is not denied. */
  readonly allow: readonly string[];
  /** The same forms; goes before `allow`. */
  readonly deny: readonly string[];
}

export interface Guard {
  /** @throws OutgoingError `refused` for a name or literal address that may not be called */
  readonly checkHost: (host: string) => void;
  /** DNS for the socket: gives only addresses that may be called. */
  readonly lookup: LookupFunction;
}

/**
 * Never called, even if the lists allow them: link-local addresses, which include the metadata services of most clouds, and the
 * metadata services elsewhere.
 */
const NEVER: readonly string[] = [
  '169.254.0.0/16',
  'fe80::/10',
  // Amazon, Google, Oracle, Alibaba, Oracle (IPv4), Azure's host agent.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fd00:c1::a9fe:a9fe/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
];

/** Read when the first address is checked: addresses of IPv6 cost a start 2 ms. */
const never = lazy(() => readTargets(NEVER));

/** @throws Error whose message names the entry that is neither a host nor a CIDR block */
export function createGuard(rules: TargetRules): Guard {
  const deny = readTargets(rules.deny);
  const allow = rules.allow.length === 0 ? undefined : readTargets(rules.allow);

  const nameAllowed = (name: string) => allow === undefined || allow.hasName(name);
  const addressRefused = (name: string, address: string) =>
    meaningsOf(address).some((each) => never().hasAddress(each) || deny.hasAddress(each)) ||
    (!nameAllowed(name) && !allow!.hasAddress(address));

  const checkHost = (host: string) => {
    const name = bare(host);
    if (deny.hasName(name) || (isIP(name) !== 0 && addressRefused(name, name))) throw refused();
    // A name that is not on the list may still lead to an address that is.
    if (isIP(name) === 0 && !nameAllowed(name) && !allow!.hasAddresses) throw refused();
  };
  const lookup = (
    hostname: string,
    options: LookupOptions,
    done: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ) => {
    lookupName(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, []);
      const allowed = addresses.filter(({ address }) => !addressRefused(bare(hostname), address));
      const [first] = allowed;
      if (first === undefined) return done(refused(), []);
      if (options.all) return done(null, allowed);
      done(null, first.address, first.family);
    });
  };
  return { checkHost, lookup: lookup as LookupFunction };
}

interface Targets {
  readonly hasName: (name: string) => boolean;
  readonly hasAddress: (address: string) => boolean;
  readonly hasAddresses: boolean;
}

function readTargets(entries: readonly string[]): Targets {
  const names = new Set<string>();
  const suffixes: string[] = [];
  const blocks = new BlockList();
  let hasAddresses = false;
  for (const entry of entries) {
    const [address = '', bits, ...rest] = bare(entry).split('/');
    const family = isIP(address);
    if (family !== 0) {
      const maximum = family === 4 ? 32 : 128;
      const prefix = bits === undefined ? maximum : Number(bits);
      if (rest.length > 0 || bits === '' || !Number.isInteger(prefix) || prefix < 0 || prefix > maximum)
        throw new Error(`"${entry}" is not a CIDR block`);
      blocks.addSubnet(address, prefix, family === 4 ? 'ipv4' : 'ipv6');
      hasAddresses = true;
    } else if (/^\*\.[^*/:\s]+$/.test(entry)) {
      suffixes.push(entry.slice(1).toLowerCase());
    } else if (/^[^*/:\s]+$/.test(entry)) {
      names.add(bare(entry));
    } else {
      throw new Error(`"${entry}" is not a host, *.domain, address or CIDR block`);
    }
  }
  return {
    hasName: (name) => names.has(name) || suffixes.some((suffix) => name.endsWith(suffix)),
    hasAddress: (address) => blocks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6'),
    hasAddresses,
  };
}

/** IPv6 addresses that carry an IPv4 address, and the group of 16 bits in which it begins: what translators and tunnels reach. */
const CARRIERS: readonly (readonly [prefix: string, group: number])[] = [
  // Compatible ones, mapped ones, SIIT, NAT64 with both of its prefixes, 6to4.
  ['::/96', 6],
  ['::ffff:0:0/96', 6],
  ['::ffff:0:0:0/96', 6],
  ['64:ff9b::/96', 6],
  ['64:ff9b:1::/48', 6],
  ['2002::/16', 1],
];
const carriers = lazy(() => CARRIERS.map(([prefix, group]) => ({ prefix: readTargets([prefix]), group })));

/** An address, and those that a connection to it reaches as well: a list that names one of them means all of its forms. */
function meaningsOf(written: string): readonly string[] {
  const [address] = written.split('%') as [string];
  if (isIP(address) === 4) return address === '0.0.0.0' ? [address, ...LOOPBACK] : [address];
  const groups = groupsOf(address);
  const carried = carriers()
    .filter(({ prefix }) => prefix.hasAddress(address))
    .map(({ group }) =>
      groups
        .slice(group, group + 2)
        .flatMap((each) => [each >> 8, each & 255])
        .join('.'),
    );
  const isUnspecified = groups.every((each) => each === 0) || carried.includes('0.0.0.0');
  return [address, ...carried, ...(isUnspecified ? LOOPBACK : [])];
}

/** What the addresses that mean "any" connect to. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const read = (text: string) =>
    text === '' ? [] : text.split(':').map((each) => Number.parseInt(each, 16));
  const [first, last] = [read(head), read(tail ?? '')];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** A host without the brackets of IPv6, a final dot and capitals. */
function bare(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

function refused(): OutgoingError {
  return new OutgoingError(
    'refused',
    'outgoing calls to this target are not allowed (options outgoing-allow and outgoing-deny)',
  );
}
