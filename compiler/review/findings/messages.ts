/** The texts of all messages, as Markdown: what the catalogue is made from, and what explains a code to a person. */
import { readdirSync, readFileSync } from 'node:fs';

export interface MessageTemplate {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly lines: readonly string[];
  readonly prose: string;
  /** Heading of its file. */
  readonly chapter: string;
}

/**
 * Reads the messages of one Markdown file.
 * @throws Error if a heading is not a code or lacks a quote, for editors of the files.
 */
export function parseMessages(markdown: string, severity: MessageTemplate['severity']): MessageTemplate[] {
  const [preamble = '', ...sections] = markdown.split(/^## /m);
  const chapter = preamble.match(/^# (.+)$/m)?.[1] ?? '';
  return sections.map((section) => {
    const [code = '', ...rest] = section.trim().split('\n');
    const lines = rest.filter((line) => line.startsWith('>')).map((line) => line.slice(1).trim());
    const prose = rest
      .filter((line) => !line.startsWith('>'))
      .join('\n')
      .trim();
    if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(code))
      throw new Error(`"${code}" is not a code like "unknown-key"`);
    if (lines.length === 0 || prose === '')
      throw new Error(`"${code}" needs a quote (the message) and prose`);
    return { code, severity, lines, prose, chapter };
  });
}

/** All messages, sorted by code. @throws Error if two have the same code. */
export function readMessages(): MessageTemplate[] {
  const messages = (['error', 'warning'] as const).flatMap((severity) => {
    const folder = new URL(`../../../runtime/core/diagnostics/messages/${severity}s/`, import.meta.url);
    return readdirSync(folder)
      .filter((file) => file.endsWith('.md'))
      .sort()
      .flatMap((file) => parseMessages(readFileSync(new URL(file, folder), 'utf8'), severity));
  });
  refuseDuplicates(messages);
  return messages.sort((left, right) => (left.code < right.code ? -1 : 1));
}

/** @throws Error naming the first code that occurs twice, or whose function name does. */
export function refuseDuplicates(messages: readonly MessageTemplate[]): void {
  const seen = new Set<string>();
  for (const { code } of messages) {
    const name = functionName(code);
    if (seen.has(name)) throw new Error(`The diagnostic code "${code}" is defined twice`);
    seen.add(name);
  }
}

/** `unknown-key` → `unknownKey`. */
export function functionName(code: string): string {
  return code.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
