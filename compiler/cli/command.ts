import type { Environment } from '../../runtime/core/environment-template.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
/** Shared parts of the commands. */

/** Where a command writes and what it runs in. */
export interface CommandContext {
  /** The word in the names of the API, in which metadata is read and written. */
  readonly vocabulary: Vocabulary;
  readonly environment: Environment;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** A mistake in the use of the command: exit status 2. The message holds no address and no password. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
