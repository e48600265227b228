/** Addresses within the page: `#/access/default/public.ticket`. Steps are encoded, so any name may be one. */
import { useSyncExternalStore } from 'react';

export interface Route {
  readonly page: string;
  readonly steps: readonly string[];
}

let known: { readonly hash: string; readonly route: Route } | undefined;

/** The step as it was before it was encoded; as it is where it was typed by hand and is no encoding. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

function current(): Route {
  const { hash } = location;
  if (known?.hash !== hash) {
    const [page = '', ...steps] = hash.replace(/^#\//, '').split('/').map(decoded);
    known = { hash, route: { page, steps } };
  }
  return known.route;
}

function subscribe(changed: () => void): () => void {
  addEventListener('hashchange', changed);
  return () => removeEventListener('hashchange', changed);
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, current);
}

export function address(page: string, ...steps: readonly string[]): string {
  return `#/${[page, ...steps].map(encodeURIComponent).join('/')}`;
}
