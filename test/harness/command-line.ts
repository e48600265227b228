/** The command line, run in this process. */
import { run } from '../../compiler/cli/cli.ts';

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `engine` with nothing in its environment. */
export function engine(...args: string[]): Promise<CommandResult> {
  return engineIn({}, ...args);
}

/** Runs `engine` with these environment variables and no others. */
export async function engineIn(
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<CommandResult> {
  const texts = { stdout: '', stderr: '' };
  const status = await run(args, {
    environment,
    stdout: (text) => {
      texts.stdout += text;
    },
    stderr: (text) => {
      // Progress: on a slow machine there is some, and no test is about time.
      if (!text.endsWith(' …\n')) texts.stderr += text;
    },
  });
  return { status, ...texts };
}
