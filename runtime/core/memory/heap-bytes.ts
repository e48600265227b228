/**
 * Estimates the memory of plain data in V8, without pointer compression as in Node: objects, arrays, maps, and strings.
 * test/runtime/core/memory/heap-bytes.slow.test.ts compares the estimates with the growth of the heap.
 */

const OBJECT = 24;
const SLOT = 8;
const ARRAY = 56;
const STRING = 24;
const MAP = 220;
const MAP_ENTRY = 48;
/** A function and the context that it closes over. What the context holds is not followed. */
const FUNCTION = 120;

/** Characters up to which a string counts as one of one-byte characters: looking at it would copy what it was joined of. */
const SHORT = 256;

/** Bytes of a string. One character beyond Latin-1 makes all of them two bytes long. */
export function stringBytes(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of V8's one-byte strings
  const isWide = text.length > SHORT && /[^\x00-\xff]/.test(text);
  return STRING + text.length * (isWide ? 2 : 1);
}

/**
 * Estimates the bytes that a value keeps in memory.
 * @param isShared tells what others keep in memory anyway; it is not followed
 * @param most bytes at which to stop counting
 */
export function heapBytes(
  value: unknown,
  isShared: (object: object) => boolean = () => false,
  most = Number.POSITIVE_INFINITY,
): number {
  const seen = new Set<object>();
  const waiting: unknown[] = [value];
  let bytes = 0;
  while (waiting.length > 0 && bytes <= most) {
    const next = waiting.pop();
    if (typeof next === 'string') bytes += stringBytes(next);
    else if (typeof next === 'number') bytes += SLOT;
    else if (typeof next === 'function') bytes += FUNCTION;
    if (typeof next !== 'object' || next === null || seen.has(next) || isShared(next)) continue;
    seen.add(next);
    if (Array.isArray(next)) {
      bytes += ARRAY + next.length * SLOT;
      for (const item of next) waiting.push(item);
    } else if (next instanceof Map) {
      bytes += MAP + next.size * MAP_ENTRY;
      for (const [key, item] of next) waiting.push(key, item);
    } else {
      const values = Object.values(next);
      bytes += OBJECT + values.length * SLOT;
      for (const item of values) waiting.push(item);
    }
  }
  return bytes;
}
