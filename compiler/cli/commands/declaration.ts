/** A command as data, and how it is added to the command line. */
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command.ts';

export interface CommandDeclaration {
  /** With the names of the commands above it, which are declared before: `audit who`. */
  readonly name: string;
  /** One line; an imperative fragment. */
  readonly description: string;
  /** Help by argument, in order: `<required>`, `[optional]`, `[several...]`. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly options?: readonly OptionDeclaration[];
  /** It starts a server: the options of a server come in addition. Such commands are declared only when one may be meant. */
  readonly serves?: true;
  /** Printed below the options. */
  readonly help?: string;
  /**
   * Loads the command's function, which takes the arguments, all options and the context, and returns the exit status. Absent for
   * a command that only has commands below it.
   */
  readonly run?: () => Promise<(...given: never[]) => number | Promise<number>>;
}

export type OptionDeclaration = readonly [
  flags: string,
  help: string,
  more?: {
    readonly required?: boolean;
    readonly choices?: readonly string[];
    readonly default?: string | readonly string[];
    readonly parse?: (text: string, previous?: never) => unknown;
  },
];

/** Forms of what a compile or a lint reports. */
export const FORMATS = ['text', 'json', 'sarif', 'annotations'] as const;
export type Format = (typeof FORMATS)[number];

/** The form of a command's output; the first is the default. */
export function format(...choices: readonly string[]): OptionDeclaration {
  return ['--format <format>', 'output format', { choices, default: choices[0]! }];
}

/** Adds a command to the command line; `finish` receives its exit status. */
export function declare(
  program: Command,
  { name, description, arguments: args = {}, options = [], help = '', run }: CommandDeclaration,
  context: CommandContext,
  finish: (status: number) => void,
): Command {
  const words = name.split(' ');
  const last = words.pop()!;
  const parent = words.reduce((above, word) => above.commands.find((each) => each.name() === word)!, program);
  const command = parent.command(last).description(description).addHelpText('after', help);
  for (const [argument, meaning] of Object.entries(args)) command.argument(argument, meaning);
  for (const option of options) command.addOption(optionOf(option));
  if (!run) return command;
  return command.action(async (...given: unknown[]) => {
    // Commander adds its own options and the command to the arguments.
    const invoke = (await run()) as (...given: unknown[]) => number | Promise<number>;
    finish(await invoke(...given.slice(0, -2), command.optsWithGlobals(), context));
  });
}

function optionOf([flags, help, more = {}]: OptionDeclaration): Option {
  const option = new Option(flags, help).makeOptionMandatory(more.required ?? false);
  if (more.choices) option.choices(more.choices);
  if (more.parse) option.argParser(more.parse as (text: string, previous: unknown) => unknown);
  return option.default(more.default);
}
