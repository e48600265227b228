/** Which host an action calls. */
import type { ActionShape } from './shapes.ts';

/** The host of the handler, or of the transform that replaces it; a variable is shown as a whole address. */
export function handlerHost({ handler, requestTransform }: ActionShape): string {
  const { url } = (requestTransform ?? {}) as { readonly url?: unknown };
  const address = typeof url === 'string' && /^https?:/i.test(url) ? url : handler;
  const [, authority] = /^https?:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(address) ?? [];
  return authority ?? /^\{\{[^}]*\}\}/.exec(address)?.[0] ?? address;
}
