/** The vocabulary of a process: the command line wins over the environment. Everything else is read after it. */
import { CANONICAL_WORD, setVocabulary, VOCABULARY_VARIABLE } from '../core/vocabulary.ts';

const OPTION = '--vocabulary';

/** Makes the word that is asked for the active one. @throws Error that names where the word is from */
export function chooseVocabulary(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): void {
  const given = fromArguments(args);
  const word = given ?? environment[VOCABULARY_VARIABLE] ?? CANONICAL_WORD;
  try {
    setVocabulary(word);
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
