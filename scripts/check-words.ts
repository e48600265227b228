/**
 * `npm run check:words [-- BASE]`: finds turns of phrase of CONTRIBUTING.md ("Words") in comments and documentation lines that were
 * added since a commit, by default the one before the last. They hide who does what, so a reader has to guess.
 */
import { execFileSync } from 'node:child_process';

/** By the turn of phrase: what to write. The list is that of CONTRIBUTING.md. */
const TURNS: readonly (readonly [turn: RegExp, advice: string])[] = [
  [/\bof (?:its|their|his) own\b/i, 'separate, own'],
  [/\bby (?:itself|themselves)\b/i, 'alone, automatically'],
  [/\bin vain\b/i, 'without success, for nothing: say what failed'],
  [/(?<=[a-z,] )besides(?=[.,;]| *$)/i, 'also, as well'],
  [/\b(?:is|are) no (?!longer\b|more\b|less\b|other\b)/i, 'is not a'],
  [/\bas (?:it|they) (?:is|are)\b(?! (?:in|on|for|with)\b)/i, 'unchanged'],
  [/\bthose that\b/i, 'name them'],
  [/\b(?:is|are) asked\b(?! (?:to|for|whether)\b)/i, 'is checked, is requested, is sent'],
  [/\bmeets? (?:a|the|this) (?:rule|condition)\b/i, 'satisfies'],
  [/^What \w+(?: \w+)? is\b/, 'name the subject'],
  [/\bgives? (?:back )?(?:the|a) (?:value|result|answer)\b/i, 'returns'],
  [/\bwithout a word\b/i, 'silently'],
];

/** A turn of phrase in a line. */
export interface Turn {
  readonly found: string;
  readonly advice: string;
}

/** Turns of phrase in one line of a comment or of a page. */
export function turnsIn(line: string): Turn[] {
  return TURNS.flatMap(([turn, advice]) => {
    const found = turn.exec(line)?.[0];
    return found === undefined ? [] : [{ found, advice }];
  });
}

/** The prose of an added line: of a comment in code, of everything in a page; undefined for code. */
function proseOf(file: string, line: string): string | undefined {
  if (file.endsWith('.md')) return line;
  return /^\s*(?:\/\*\*?|\*(?!\/)|\/\/)\s?(.*)$/.exec(line)?.[1];
}

function main(base: string): number {
  const difference = execFileSync(
    'git',
    [
      'diff',
      '--unified=0',
      '--no-color',
      '--find-renames',
      base,
      '--',
      '*.ts',
      '*.tsx',
      '*.md',
      ':!CONTRIBUTING.md',
    ],
    {
      encoding: 'utf8',
      maxBuffer: 1e9,
    },
  );
  let file = '';
  let number = 0;
  let count = 0;
  for (const line of difference.split('\n')) {
    if (line.startsWith('+++ ')) file = line.slice(6);
    else if (line.startsWith('@@')) number = Number(/\+(\d+)/.exec(line)![1]) - 1;
    else if (line.startsWith('+')) {
      number += 1;
      for (const { found, advice } of turnsIn(proseOf(file, line.slice(1)) ?? '')) {
        console.log(`${file}:${number} "${found}": ${advice}`);
        count += 1;
      }
    }
  }
  return count;
}

if (process.argv[1]?.endsWith('check-words.ts'))
  process.exitCode = main(process.argv[2] ?? 'HEAD~1') > 0 ? 1 : 0;
