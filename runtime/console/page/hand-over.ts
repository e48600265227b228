/** An operation on its way to the query page. */

export interface HandedOver {
  readonly query: string;
  /** JSON. */
  readonly variables: string;
}

let pending: HandedOver | undefined;

/** Opens the query page with an operation in its editor. It does not run. */
export function openInQuery(operation: HandedOver): void {
  pending = operation;
  location.hash = '#/query';
}

/** The operation, once. */
export function takeHandedOver(): HandedOver | undefined {
  const taken = pending;
  pending = undefined;
  return taken;
}
