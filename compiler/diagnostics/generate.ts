/**
 * Makes `catalogue.ts` and `docs/diagnostics.md` from `messages/{errors,warnings}/*.md`.
 *
 * A message is a level-two heading (its code), a quote and prose. The first line of the quote is the message, each further
 * line a detail; `%hole%` is a parameter, and a line with `%hole?%` is left out when that parameter is not given. Lines of
 * the quote are not wrapped. The prose says why it matters and what to do; it becomes the reference page.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface MessageTemplate {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly lines: readonly string[];
  readonly prose: string;
  /** Heading of the file it stands in. */
  readonly chapter: string;
}

const repository = new URL('../../', import.meta.url);

/**
 * Reads the messages of one Markdown file.
 * @throws Error if a heading is no code or has no quote: the files are ours, so this is for whoever edits them.
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
    const folder = new URL(`compiler/diagnostics/messages/${severity}s/`, repository);
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

/** The text of `catalogue.ts`. */
export function printCatalogue(messages: readonly MessageTemplate[]): string {
  const functions = messages.map((message) => {
    const holes = new Map<string, boolean>();
    for (const [, name, optional] of message.lines.join('\n').matchAll(/%(\w+)(\??)%/g))
      holes.set(name!, optional === '?');
    const names = [...holes.keys()].join(', ');
    const types = [...holes].map(([name, optional]) =>
      optional ? `${name}?: Hole | undefined` : `${name}: Hole`,
    );
    const parameters = holes.size === 0 ? '()' : `({ ${names} }: { ${types.join('; ')} })`;
    const lines = message.lines.map(printLine).join(', ');
    return [
      `/** ${message.lines[0]!.replaceAll('*/', '* /')} */`,
      `${functionName(message.code)}: ${parameters}: Message => message('${message.code}', '${message.severity}', [${lines}]),`,
    ].join('\n');
  });
  const text = [
    '// Generated from messages/ by `npm run generate:diagnostics`; do not edit.',
    "import type { Message } from './diagnostic.ts';",
    'type Hole = string | number;',
    `function message(code: string, severity: Message['severity'], lines: readonly (string | undefined)[]): Message {
      const [text = '', ...details] = lines.filter((line) => line !== undefined);
      return { code, severity, message: text, ...(details.length > 0 && { details }) };
    }`,
    `/** Every message of the compiler, by code: a function of what the message names. */\nexport const diagnostics = {\n${functions.join('\n')}\n} as const;\n`,
  ].join('\n\n');
  return execFileSync(
    process.execPath,
    [
      fileURLToPath(new URL('node_modules/@biomejs/biome/bin/biome', repository)),
      'format',
      '--stdin-file-path=compiler/diagnostics/catalogue.ts',
    ],
    { input: text, encoding: 'utf8', cwd: fileURLToPath(repository) },
  );
}

function printLine(line: string): string {
  const optional = line.match(/%(\w+)\?%/)?.[1];
  const literal = line.replace(/[`\\]|\$\{/g, '\\$&').replace(/%(\w+)\??%/g, '$${$1}');
  const text = /%\w+\??%/.test(line) ? `\`${literal}\`` : JSON.stringify(line);
  return optional === undefined ? text : `${optional} === undefined ? undefined : ${text}`;
}

/** The text of `docs/diagnostics.md`. */
export function printReference(messages: readonly MessageTemplate[]): string {
  const sections = messages.map(({ code, severity, lines, prose, chapter }) =>
    [
      `## ${code}`,
      `${severity === 'error' ? 'Error' : 'Warning'} · ${chapter}`,
      lines.map((line) => `> ${line.replace(/%(\w+)\??%/g, '‹$1›')}`).join('  \n'),
      prose,
    ].join('\n\n'),
  );
  return [
    '# Diagnostics',
    'What the compiler can report, by code. Generated by `npm run generate:diagnostics` from `compiler/diagnostics/messages`; do not edit.',
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

/** The generated files, by path from the top of the repository. */
export function generate(): Record<string, string> {
  const messages = readMessages();
  return {
    'compiler/diagnostics/catalogue.ts': printCatalogue(messages),
    'docs/diagnostics.md': printReference(messages),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(generate())) writeFileSync(new URL(path, repository), text);
}
