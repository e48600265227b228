/** Parses GraphQL text from outside. The parser of graphql-js recurses, so deeply nested text would exhaust its stack. */
import { type DocumentNode, GraphQLError, type ParseOptions, parse } from 'graphql';

/**
 * Maximum number of brackets of any kind around a part of a document, and of selection sets around a field when fragments
 * are expanded.
 */
export const MAX_DOCUMENT_DEPTH = 200;

/** The document is nested more than MAX_DOCUMENT_DEPTH levels deep. */
export class DocumentTooDeep extends GraphQLError {
  constructor() {
    super(`the document is nested more than ${MAX_DOCUMENT_DEPTH} levels deep`);
  }
}

/** As graphql-js' `parse`, without locations in the tree. @throws GraphQLError, of which DocumentTooDeep is one */
export function parseGraphql(text: string, options?: ParseOptions): DocumentNode {
  requireShallow(text);
  return parse(text, { noLocation: true, ...options });
}

/** @throws DocumentTooDeep */
function requireShallow(text: string): void {
  let depth = 0;
  for (let position = 0; position < text.length; position += 1) {
    switch (text[position]) {
      case '{':
      case '[':
      case '(':
        depth += 1;
        if (depth > MAX_DOCUMENT_DEPTH) throw new DocumentTooDeep();
        break;
      case '}':
      case ']':
      case ')':
        depth -= 1;
        break;
      case '"':
        position = endOfString(text, position);
        break;
      case '#':
        position = indexOrEnd(text, '\n', position);
    }
  }
}

/** Position of the last quote. A string that does not end is the parser's to report. */
function endOfString(text: string, start: number): number {
  if (text.startsWith('"""', start)) {
    let end = indexOrEnd(text, '"""', start + 3);
    while (text[end - 1] === '\\') end = indexOrEnd(text, '"""', end + 3);
    return end + 2;
  }
  let position = start + 1;
  while (position < text.length && text[position] !== '"' && text[position] !== '\n')
    position += text[position] === '\\' ? 2 : 1;
  return position;
}

function indexOrEnd(text: string, searched: string, start: number): number {
  const index = text.indexOf(searched, start);
  return index < 0 ? text.length : index;
}
