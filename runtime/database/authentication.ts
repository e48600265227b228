/** What an address demands of the way in which a server authenticates its clients: `require_auth` and `channel_binding`. */
import type { AddressOptions } from './address.ts';
import { wrongAddress } from './address-options.ts';

export interface Authentication {
  readonly channelBinding: 'disable' | 'prefer' | 'require';
  readonly accepts: (method: Method) => boolean;
}

/** `none`: the server asks for nothing. */
export type Method = 'none' | 'password' | 'md5' | 'scram-sha-256';

/** Methods that libpq knows. Those that are not of Method are never used here. */
const METHODS = ['none', 'password', 'md5', 'scram-sha-256', 'gss', 'sspi', 'oauth'];

/** @throws EngineError for a list that libpq refuses */
export function readAuthentication(options: AddressOptions): Authentication {
  const channelBinding = (options.get('channel_binding') ?? 'prefer') as Authentication['channelBinding'];
  const list = options.get('require_auth');
  if (!list) return { channelBinding, accepts: () => true };
  const names = list.split(',').map((name) => name.trim());
  const methods = names.map((name) => name.replace(/^!/, ''));
  const isNegated = names[0]!.startsWith('!');
  if (names.some((name) => name.startsWith('!') !== isNegated))
    throw wrongAddress('require_auth names methods either all with "!" or all without');
  if (methods.some((method) => !METHODS.includes(method)))
    throw wrongAddress(`require_auth is a list of ${METHODS.join(', ')}`);
  if (new Set(methods).size < methods.length) throw wrongAddress('require_auth names a method twice');
  return { channelBinding, accepts: (method) => methods.includes(method) !== isNegated };
}

/**
 * Why a server that asks for a method is refused, or `undefined`.
 * @param isBound whether it offers to bind the proof to its certificate
 */
export function refusal(
  { channelBinding, accepts }: Authentication,
  method: Method,
  isBound: boolean,
): string | undefined {
  if (!accepts(method)) return `require_auth excludes what the server asks for: ${method}`;
  if (channelBinding === 'require' && !isBound)
    return 'channel_binding=require, and the server offers no SCRAM that is bound to its certificate';
  return undefined;
}
