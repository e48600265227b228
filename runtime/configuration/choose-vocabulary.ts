/** The vocabulary of a command line, by which everything else in it and in the environment is read. */
import type { Environment } from '../core/environment-template.ts';
import { CANONICAL, VOCABULARY_VARIABLE, Vocabulary } from '../core/vocabulary.ts';

const OPTION = '--vocabulary';

/** The vocabulary that is asked for: the command line wins over the environment. @throws Error that names where the word is from */
export function chooseVocabulary(args: readonly string[], environment: Environment): Vocabulary {
  const given = fromArguments(args);
  const word = given ?? environment[VOCABULARY_VARIABLE];
  if (word === undefined) return CANONICAL;
  try {
    return new Vocabulary(word);
  } catch (error) {
    const place = given === undefined ? `Environment variable ${VOCABULARY_VARIABLE}` : `Option ${OPTION}`;
    throw new Error(`${place}: ${(error as Error).message}`);
  }
}

/** The last one, as for every option. Without a value, the command line itself is reported as wrong. */
function fromArguments(args: readonly string[]): string | undefined {
  const found = args.findLast((each, index) => args[index - 1] === OPTION || each.startsWith(`${OPTION}=`));
  return found?.startsWith(`${OPTION}=`) ? found.slice(OPTION.length + 1) : found;
}
