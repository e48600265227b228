/** `engine docs`: prints a page of the documentation, or searches all of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nearest } from '../../runtime/core/diagnostics/nearest.ts';
import type { CommandContext } from './command.ts';

/** Beside the checkout's folders, and beside `dist/` in a package. */
const PLACES = ['../../docs/', '../../../docs/'];

interface Section {
  readonly page: string;
  readonly heading: string;
  /** Number of its first line, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** Prints a page, found by its name; the index, without words; or the sections that have all of the words. Returns 1 if nothing is found. */
export function docsCommand(words: readonly string[], _options: object, context: CommandContext): number {
  const folder = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (folder === undefined) {
    context.stderr(
      'The documentation is not part of this installation: it is in the folder docs of the package.\n',
    );
    return 1;
  }
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const [first = 'README', ...rest] = words;
  const named = pages.find((page) => page.toLowerCase() === `${first.toLowerCase().replace(/\.md$/, '')}.md`);
  if (named !== undefined && rest.length === 0) {
    context.stdout(readFileSync(`${folder}/${named}`, 'utf8'));
    return 0;
  }
  const sections = pages.flatMap((page) => sectionsOf(page, readFileSync(`${folder}/${page}`, 'utf8')));
  const found = searchSections(sections, words);
  for (const { section, line, text } of found)
    context.stdout(`${section.page}:${line}  ${section.heading}\n    ${text}\n`);
  if (found.length > 0) return 0;
  const near = nearest(`${first}.md`, pages);
  context.stderr(
    `No page has "${words.join(' ')}".${near === undefined ? '' : ` Did you mean the page ${near}?`} engine docs lists the pages.\n`,
  );
  return 1;
}

/** The sections of a page: a heading and what is below it, up to the next one. */
function sectionsOf(page: string, text: string): readonly Section[] {
  const sections: (Section & { lines: string[] })[] = [];
  let isCode = false;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? undefined : /^#+ (.*)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ page, heading, line: index + 1, lines: [line] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

interface Match {
  readonly section: Section;
  readonly line: number;
  readonly text: string;
}

/** One match for each section that has every word: those with words in the heading first, then those with most lines. */
function searchSections(sections: readonly Section[], words: readonly string[]): readonly Match[] {
  const wanted = words.flatMap((word) => word.toLowerCase().split(/\s+/));
  const countIn = (text: string) => wanted.filter((word) => text.toLowerCase().includes(word)).length;
  const matches = sections.flatMap((section) => {
    if (countIn(section.lines.join('\n')) < wanted.length) return [];
    const counts = section.lines.map(countIn);
    const index = counts.indexOf(Math.max(...counts));
    const lines = counts.filter((count) => count > 0).length;
    const text = section.lines[index]!.trim();
    return [{ section, line: section.line + index, text, inHeading: countIn(section.heading), lines }];
  });
  return matches.sort((left, right) => right.inHeading - left.inHeading || right.lines - left.lines);
}
