import { randomUUID } from 'node:crypto';

/**
 * A random UUID for what lives long, as one flat text: Node.js joins it from two dozen parts, each of which V8 keeps as long as
 * the whole, so it would take ten times its length.
 */
export function uniqueId(): string {
  return Buffer.from(randomUUID(), 'latin1').toString('latin1');
}
