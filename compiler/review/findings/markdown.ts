/** Escapes text for Markdown. Underscores within words need no escape. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*<>|]|(?<!\w)_|_(?!\w)/g, '\\$&');
}
