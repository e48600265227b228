/**
 * The text of HTTP headers. HTTP carries bytes, the platform gives and takes them as characters up to U+00FF; here they are UTF-8
 * both ways. `runtime/http/messages.ts` reads and writes the server's headers by it, `runtime/outgoing` those of calls, the pages
 * those of a browser, which takes characters up to U+00FF as well.
 */

const BYTES = /[\x80-\xff]/;
const NOT_ASCII = /[^\0-\x7f]/;
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The text of a header's bytes, each given as a character.
 * Bytes that are not UTF-8 are Latin-1, which senders used before and proxies still do.
 */
export function readHeaderText(bytes: string): string {
  if (!BYTES.test(bytes)) return bytes;
  try {
    return strict.decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  } catch {
    return bytes;
  }
}

export function isAscii(text: string): boolean {
  return !NOT_ASCII.test(text);
}

/** The bytes of a header's text, each as a character. */
export function headerBytes(text: string): string {
  if (isAscii(text)) return text;
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

/** Headers by name, as the platform takes them. */
export function inBytes(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerBytes(value)]));
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Control characters but the tab, and halves of surrogate pairs. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that headers must not have
const UNSENDABLE = /[\0-\x08\x0a-\x1f\x7f]|\p{Surrogate}/u;

/** Why a header cannot be sent; undefined if it can. Holds its name and the offending character, not its value. */
export function headerProblem(name: string, value: string): string | undefined {
  const isNamed = TOKEN.test(name);
  if (isNamed && !UNSENDABLE.test(value)) return undefined;
  const cannot = `the header ${JSON.stringify(name)} cannot be sent: `;
  if (!isNamed)
    return `${cannot}its name may have letters, digits and !#$%&'*+-.^_\`|~ only. Rename it where it is configured or set.`;
  return `${cannot}its value has ${unsendable(value)}. Headers are one line of text: remove the character where the value is set.`;
}

/** The character of a value that no header can have, with its position; undefined if there is none. */
export function unsendable(value: string): string | undefined {
  const found = UNSENDABLE.exec(value);
  if (!found) return undefined;
  const code = found[0].codePointAt(0)!;
  const what = code < 0x80 ? 'the control character' : 'half of a character,';
  return `${what} U+${code.toString(16).toUpperCase().padStart(4, '0')} at position ${found.index + 1}`;
}
