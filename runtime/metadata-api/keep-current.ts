/** Keeps an engine current: with what other instances store, with sources that come back, and with remote schemas. */
import type { MetadataEngine } from './engine.ts';
import type { SourceDatabase } from './state.ts';
import type { MetadataStore } from './store.ts';

/** Milliseconds between attempts to read sources that could not be read. */
const RETRY_INTERVAL = 5000;

/**
 * Starts to watch. Other instances' changes are notified; the poll finds what a broken connection missed.
 * @param pollInterval milliseconds; 0 = neither notifications nor polls
 * @returns what stops it
 */
export function keepCurrent<Database extends SourceDatabase>(
  engine: MetadataEngine<Database>,
  store: MetadataStore,
  pollInterval: number,
  report: (message: string, error: unknown) => void,
): () => void {
  const watchRemotes = (read: Promise<void>) =>
    read.catch((error: unknown) => report('Reading a remote schema again failed.', error));
  void watchRemotes(engine.refreshRemotes());
  const timers = [
    setInterval(() => {
      engine.retrySources().catch((error: unknown) => report('Trying a source again failed.', error));
    }, RETRY_INTERVAL),
    setInterval(() => void watchRemotes(engine.retryRemotes()), RETRY_INTERVAL),
  ];
  if (pollInterval > 0) {
    const synchronise = () => {
      engine
        .synchronise()
        .catch((error: unknown) =>
          report('Taking over the metadata that another instance stored failed.', error),
        );
    };
    store.watch(synchronise);
    timers.push(setInterval(synchronise, pollInterval));
  }
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}
