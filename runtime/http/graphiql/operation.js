import { getOperationAST, parse } from 'graphql';

/**
 * The operation that a text means, with its kind and, if it is needed, its name. GraphiQL's own reading of the text follows a moment
 * behind what is typed. Both are undefined where the server will find no operation either.
 */
export function operationOf(query, operationName) {
  try {
    const document = parse(query);
    const chosen = getOperationAST(document, operationName) ?? getOperationAST(document);
    return { kind: chosen?.operation, operationName: chosen?.name?.value };
  } catch {
    return { kind: undefined, operationName };
  }
}
