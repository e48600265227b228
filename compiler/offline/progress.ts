/** Says what takes long: on standard error, once a command has taken a second. */
import type { CommandContext } from '../cli/command.ts';

/** Milliseconds that pass in silence. */
const SILENT_TIME = 1000;

export interface Progress {
  /** From now on this is what is being done. */
  step(text: string): void;
  /** Nothing more will be said. */
  end(): void;
}

export function startProgress({ stderr }: Pick<CommandContext, 'stderr'>): Progress {
  const begin = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const say = (text: string) => stderr(`${text} …\n`);
  const end = () => clearTimeout(timer);
  return {
    step: (text) => {
      end();
      const left = SILENT_TIME - (performance.now() - begin);
      if (left <= 0) say(text);
      else timer = setTimeout(() => say(text), left).unref();
    },
    end,
  };
}
