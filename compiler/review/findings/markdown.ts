/** Text for Markdown: what would be markup is escaped. Underscores within words are none. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*<>|]|(?<!\w)_|_(?!\w)/g, '\\$&');
}
