/** Documents in the form in which the allow-list compares them. */
import { type DocumentNode, Kind, print, visit } from 'graphql';

/**
 * The document printed evenly and without `__typename`: equal texts, equal documents. Order, aliases, arguments and names
 * count; white space and commas do not.
 */
export function comparableDocument(document: DocumentNode): string {
  return print(
    visit(document, {
      [Kind.FIELD]: (node) => (node.name.value === '__typename' && !node.alias ? null : undefined),
    }),
  );
}
