/**
 * Rewrites test data from the word `engine` to another one. It searches texts, which the server never does: data of tests is
 * known to hold the word only where the API has it, or in names that these patterns leave alone.
 */

/** Every place of the API that holds the word, with the word between two groups. */
const PLACES: readonly RegExp[] = [
  /(\bx-)(engine)(-)/gi,
  /(\b)(ENGINE)(_GRAPHQL_)/g,
  /(https:\/\/)(engine)(\.io\/jwt\/claims)/g,
  /(["'\s])(engine)(_fields\b)/g,
  /(\b)(engine)(-default\b)/g,
  /(')(engine)(\.(?:user|tracecontext)')/g,
  /(\/)(engine)(\/healthz\b)/g,
  /(\b)(Engine)(\.RQL\.)/g,
];

/** The text with `word` where the API has `engine`, in the same case. */
export function inVocabulary(text: string, word: string): string {
  return PLACES.reduce(
    (rewritten, place) =>
      rewritten.replace(place, (_, before, found, after) => `${before}${inCaseOf(found, word)}${after}`),
    text,
  );
}

function inCaseOf(found: string, word: string): string {
  if (found === found.toUpperCase()) return word.toUpperCase();
  return found === found.toLowerCase() ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** The text with `engine` where the API has `word`. */
export function outOfVocabulary(text: string, word: string): string {
  return PLACES.reduce((rewritten, place) => {
    const own = new RegExp(
      place.source.replace(/\((engine)\)/i, (_, found) => `(${inCaseOf(found, word)})`),
      place.flags,
    );
    return rewritten.replace(
      own,
      (_, before, found, after) => `${before}${inCaseOf(found, 'engine')}${after}`,
    );
  }, text);
}
