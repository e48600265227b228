/** Reports what the delivery of events could not do in a database. */

import { describeConnectionError } from '../database/connection-error.ts';
import { isUnreachable } from '../database/failures.ts';
import type { Observer } from '../observe/logs/observe.ts';

/** @param source whose database it is; none for the database of the metadata */
export function failureReport(observe: Observer, source?: string): (message: string, error: unknown) => void {
  return (message, error) => {
    const isAway = isUnreachable(error);
    const text = isAway ? `${message} The database is away: ${describeConnectionError(error)}.` : message;
    observe({
      kind: 'event-delivery',
      level: 'warn',
      message: text,
      ...(source !== undefined && { source }),
      ...(!isAway && { error }),
    });
  };
}
