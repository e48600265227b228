/** `engine check`: reports saved operations that break per role, and changes of each role's schema. */
import type { Weight } from '../review/check/change.ts';
import { checkCode, heaviest } from '../review/check/index.ts';
import { checkMarkdown, checkText } from '../review/check/render.ts';
import { readGeneratedCode } from '../review/generated-code/index.ts';
import type { CommandContext } from './command.ts';

export interface CheckOptions {
  readonly format: 'text' | 'json' | 'markdown';
  readonly failOn: 'breaking' | 'dangerous' | 'never';
  /** Where revisions of git have the generated code. */
  readonly folder: string;
}

const FAILING: Readonly<Record<CheckOptions['failOn'], readonly Weight[]>> = {
  breaking: ['breaking'],
  dangerous: ['breaking', 'dangerous'],
  never: [],
};

/** Runs the command and returns its exit status: 1 when a change is as heavy as `failOn`. @throws GeneratedCodeError */
export function checkCommand(
  base: string,
  head: string,
  options: CheckOptions,
  context: CommandContext,
): number {
  const result = checkCode(readGeneratedCode(base, options.folder), readGeneratedCode(head, options.folder));
  const print = { text: checkText, markdown: checkMarkdown, json: checkJson }[options.format];
  context.stdout(print(result));
  const weight = heaviest(result);
  return weight && FAILING[options.failOn].includes(weight) ? 1 : 0;
}

function checkJson(result: ReturnType<typeof checkCode>): string {
  return `${JSON.stringify(result, null, 2)}\n`;
}
