/** Comparison of secrets: only their hashes are kept, and comparing takes the same time for any input. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Tells whether a text is one of the secrets. */
export function secretMatcher(secrets: readonly string[]): (candidate: string) => boolean {
  const hashes = secrets.map(sha256);
  return (candidate) => {
    const hash = sha256(candidate);
    let found = false;
    for (const secret of hashes) found = timingSafeEqual(secret, hash) || found;
    return found;
  };
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
