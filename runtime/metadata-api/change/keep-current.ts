/** Keeps an engine current: with what other instances store, with sources that come back, and with remote schemas. */

import { describeConnectionError } from '../../database/connection-error.ts';
import { isUnreachable } from '../../database/failures.ts';
import type { MetadataStore } from '../store/store.ts';
import type { MetadataEngine } from './engine.ts';
import type { SourceDatabase } from './state.ts';

/** Milliseconds between attempts to read sources that could not be read. */
const RETRY_INTERVAL = 5000;

/**
 * Starts to watch. Other instances' changes are notified; the poll finds what a broken connection missed.
 * An outage of the metadata database, and its end, are logged once each.
 * @param pollInterval milliseconds; 0 = neither notifications nor polls
 * @returns what stops it
 */
export function keepCurrent<Database extends SourceDatabase>(
  engine: MetadataEngine<Database>,
  store: MetadataStore,
  pollInterval: number,
  report: (message: string, error: unknown) => void,
  notice: (level: 'info' | 'warn', message: string) => void,
): () => void {
  const watchRemotes = (read: Promise<void>) =>
    read.catch((error: unknown) => report('Reading a remote schema again failed.', error));
  void watchRemotes(engine.refreshRemotes());
  const timers = [
    setInterval(() => {
      engine.retrySources().catch((error: unknown) => report('Trying a source again failed.', error));
    }, RETRY_INTERVAL),
    setInterval(() => void watchRemotes(engine.retryRemotes()), RETRY_INTERVAL),
    setInterval(() => void engine.followDistribution(), RETRY_INTERVAL),
  ];
  if (pollInterval > 0) {
    let isAway = false;
    const synchronised = () => {
      if (isAway) notice('info', 'The metadata database answers again.');
      isAway = false;
    };
    const failed = (error: unknown) => {
      if (!isUnreachable(error))
        return report('Taking over the metadata that another instance stored failed.', error);
      if (!isAway)
        notice(
          'warn',
          `The metadata database does not answer; what is served stays, and changes are taken over once it does: ${describeConnectionError(error)}.`,
        );
      isAway = true;
    };
    const synchronise = () => void engine.synchronise().then(synchronised, failed);
    store.watch(synchronise);
    timers.push(setInterval(synchronise, pollInterval));
  }
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
