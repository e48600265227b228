/** Documents of the allow-list in the form in which they are compared. */

import { operationKey } from '../names.ts';
import { parseDocument } from '../request/document.ts';
import { comparableDocument } from './comparable.ts';
import type { AllowedDocument, SavedProgram } from './saved.ts';

/** An entry of the allow-list with its text. */
export interface AllowedText {
  readonly entry: AllowedDocument;
  /** The text that was saved. */
  readonly text: string;
  /** Printed evenly and without `__typename`. @throws EngineError if the text is not GraphQL */
  readonly comparable: () => string;
}

/** By operation or entry: both outlive the programs that they belong to, so a text is parsed once. */
const comparables = new WeakMap<object, string>();

/** The entries of an allow-list, with the texts of the operations that they name. */
export function allowedTexts({
  allowlist,
  operations,
}: Pick<SavedProgram, 'allowlist' | 'operations'>): AllowedText[] {
  const byName = new Map(operations.map((operation) => [operationKey(operation), operation]));
  return allowlist.flatMap((entry): AllowedText[] => {
    const owner = entry.document === undefined ? byName.get(operationKey(entry)) : entry;
    const text = owner?.document;
    if (owner === undefined || text === undefined) return [];
    const comparable = () => {
      const known = comparables.get(owner) ?? comparableDocument(parseDocument(text));
      comparables.set(owner, known);
      return known;
    };
    return [{ entry, text, comparable }];
  });
}
