/** `engine explain CODE`: a message of the catalogue with its reasons. */

import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import { type MessageTemplate, readMessages } from '../review/findings/messages.ts';
import type { CommandContext } from './command.ts';

/** Prints the explanation, or with no code the list. Returns the exit status: 2 for a code that there is not. */
export function explainCommand(code: string | undefined, _options: object, context: CommandContext): number {
  const messages = readMessages();
  if (code === undefined) {
    for (const { code, severity, lines } of messages)
      context.stdout(`${code}  ${severity}\n  ${withHoles(lines[0]!)}\n`);
    return 0;
  }
  const message = messages.find((each) => each.code === code.toLowerCase());
  if (message) {
    context.stdout(explanation(message));
    return 0;
  }
  const codes = messages.map((each) => each.code);
  const near = nearest(code, codes) ?? codes.find((each) => each.includes(code));
  const advice = near === undefined ? '' : ` Did you mean "${near}"?`;
  context.stderr(
    `There is no diagnostic "${code}".${advice} engine explain without a code lists them all.\n`,
  );
  return 2;
}

function explanation({ code, severity, chapter, lines, prose }: MessageTemplate): string {
  const quote = lines.map((line) => `  ${withHoles(line)}`).join('\n');
  return `${code}  ${severity} · ${chapter}\n\n${quote}\n\n${prose}\n`;
}

function withHoles(line: string): string {
  return line.replace(/%(\w+)\??%/g, '‹$1›');
}
