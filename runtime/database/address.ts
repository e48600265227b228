/**
 * Connection strings as libpq reads them: the form of a URI, and that of keywords and values. Errors name options and say what
 * to change; they never show a part of the text, which may belong to a password.
 */
import { nearest } from '../core/diagnostics/nearest.ts';
import { OPTIONS, readOption, wrongAddress } from './address-options.ts';

/** Values of an address by libpq's names of its options. What it does not say is not there. */
export type AddressOptions = ReadonlyMap<string, string>;

const FORMS =
  'write postgres://USER:PASSWORD@HOST:PORT/DATABASE or host=HOST port=PORT user=USER dbname=DATABASE';
const ENCODING = 'in user names and passwords, write @ as %40, / as %2F, : as %3A and % as %25';

/** @throws EngineError invalid-configuration for what libpq does not read, or what the server does not do */
export function readAddress(text: string): AddressOptions {
  const scheme = /^postgres(?:ql)?:\/\//.exec(text.trim());
  const entries = scheme ? readUri(text.trim().slice(scheme[0].length)) : readKeywords(text);
  const options = new Map<string, string>();
  for (const [key, value] of entries) options.set(key, readOption(key, value));
  return options;
}

type Entry = readonly [key: string, value: string];

/** @param text behind the scheme */
function readUri(text: string): Entry[] {
  const entries: Entry[] = [];
  const add = (key: string, encoded: string, of: string) => {
    if (encoded !== '') entries.push([key, decode(encoded, of)]);
  };
  // As libpq does: the first @ ends the credentials, unless a / comes before it. So # and ? may stand in a password.
  const credentials = /^([^@/]*)@/.exec(text);
  if (credentials) {
    const colon = credentials[1]!.indexOf(':');
    add('user', colon < 0 ? credentials[1]! : credentials[1]!.slice(0, colon), 'the user name');
    if (colon >= 0) add('password', credentials[1]!.slice(colon + 1), 'the password');
  }
  const rest = text.slice(credentials?.[0].length ?? 0);
  const [, authority, path, query] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest)!;
  const hosts: string[] = [];
  const ports: string[] = [];
  for (const each of authority!.split(',')) {
    const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:[\]@]*))(?::([^:@]*))?$/.exec(each) ?? [];
    if (bracketed === undefined && name === undefined)
      throw wrongAddress(`the host cannot be read; ${ENCODING}, and an IPv6 address in brackets`);
    hosts.push(bracketed ?? name!);
    ports.push(port ?? '');
  }
  if (hosts.some((host) => host !== '')) add('host', hosts.join(','), 'the host');
  if (ports.some((port) => port !== '')) add('port', ports.join(','), 'the port');
  add('dbname', path ?? '', 'the database name');
  if (query !== undefined) entries.push(...readQuery(query));
  return entries;
}

function readQuery(query: string): Entry[] {
  if (query === '') return [];
  const mayBeSecret = query.includes('@');
  return query
    .replace(/&$/, '')
    .split('&')
    .map((parameter) => {
      const [key, value, ...more] = parameter.split('=');
      if (value === undefined || more.length > 0) {
        const found = value === undefined ? 'has no "="' : 'has "=" twice; write it as %3D in values';
        throw wrongAddress(`an option behind "?" ${found}`);
      }
      const name = decode(key!, 'the name of an option');
      const text = decode(value, `the option ${quoted(name, mayBeSecret)}`);
      // The spelling of JDBC, which libpq reads as well.
      if (name === 'ssl' && text === 'true') return ['sslmode', 'require'];
      if (name === 'ssl')
        throw wrongAddress('the option "ssl" is true or not there; say sslmode=require, for instance');
      return [requireKnown(name, mayBeSecret), text];
    });
}

function decode(text: string, of: string): string {
  if (/\s/.test(text)) throw wrongAddress(`a blank in ${of} is written as %20`);
  if (/%(?![0-9a-fA-F]{2})/.test(text))
    throw wrongAddress(`"%" in ${of} is followed by something that is no hexadecimal number; ${ENCODING}`);
  if (text.includes('%00')) throw wrongAddress(`%00 is not allowed in ${of}`);
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrongAddress(`${of} is not UTF-8 when it is decoded`);
  }
}

/** Keywords and values: blanks around "=", values in quotes, \ before a character that stands for itself. */
function readKeywords(text: string): Entry[] {
  const entries: Entry[] = [];
  const part =
    /\s*([^\s=]+)\s*(=?)\s*(?:'((?:[^'\\]|\\.)*)'(?=\s|$)|((?:[^\s'\\]|\\.)(?:[^\s\\]|\\.)*|$))\s*/sy;
  const end = text.trimEnd().length;
  while (part.lastIndex < end) {
    const found = part.exec(text);
    const [, key, equals, inQuotes, plain] = found ?? [];
    if (found === null || equals === '')
      throw wrongAddress(entries.length > 0 ? `what follows ${entries.at(-1)![0]}=… cannot be read` : FORMS);
    entries.push([
      requireKnown(key!, entries.at(-1)?.[0] === 'password'),
      (inQuotes ?? plain!).replace(/\\(.)/gs, '$1'),
    ]);
  }
  if (entries.length === 0) throw wrongAddress(`it is empty; ${FORMS}`);
  return entries;
}

/** @throws EngineError for an option that libpq does not have */
function requireKnown(name: string, mayBeSecret: boolean): string {
  if (Object.hasOwn(OPTIONS, name)) return name;
  const close = nearest(name, Object.keys(OPTIONS));
  const remedy = close === undefined ? 'remove it' : `did you mean "${close}"?`;
  throw wrongAddress(
    `${quoted(name, mayBeSecret)} is not an option of PostgreSQL's connection strings; ${remedy}`,
  );
}

/** The name of an option, unless it may be a part of a password that was not encoded. */
function quoted(name: string, mayBeSecret: boolean): string {
  return mayBeSecret || !/^\w+$/.test(name) ? 'a part of it' : JSON.stringify(name);
}
