/** Text of reports. */

/** Escapes text for Markdown. Underscores within words need no escape. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*<>|]|(?<!\w)_|_(?!\w)/g, '\\$&');
}

/** `1 row`, `2 rows`. */
export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
