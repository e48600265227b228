/**
 * A handler of an event that a peer causes: a client, a database, a server that is called, another thread. Nothing calls such a
 * handler that could catch what it throws, so without a last resort a defect in it would reach the whole process.
 * test/runtime/handlers.test.ts refuses handlers that are attached without one.
 * @param lastResort gets what the handler throws, or what its promise rejects with, and the event: it closes the socket or
 * ends the request that the event belongs to, and logs
 */
export function guarded<Event extends readonly unknown[]>(
  handle: (...event: Event) => unknown,
  lastResort: (error: unknown, ...event: Event) => void,
): (...event: Event) => void {
  return (...event) => {
    try {
      const handled = handle(...event);
      if (handled instanceof Promise) handled.catch((error: unknown) => lastResort(error, ...event));
    } catch (error) {
      lastResort(error, ...event);
    }
  };
}
