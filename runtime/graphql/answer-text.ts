/** Texts of answers: pieces of bytes where the database sent long ones, which are sent on without becoming a text in between. */

/** A text, or the pieces of one in UTF-8. */
export type AnswerText = string | readonly Buffer[];

/** @param parts bytes are in UTF-8 */
export function joinTexts(parts: readonly (string | Buffer)[]): AnswerText {
  if (parts.some((part) => typeof part !== 'string'))
    return parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  return parts.join('');
}

/** Puts a text between two others. */
export function enclose(begin: string, text: AnswerText, end: string): AnswerText {
  return typeof text === 'string' ? `${begin}${text}${end}` : [Buffer.from(begin), ...text, Buffer.from(end)];
}

export function wholeText(text: AnswerText): string {
  return typeof text === 'string' ? text : Buffer.concat(text).toString();
}
