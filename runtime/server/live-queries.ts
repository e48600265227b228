/** Live queries as the configuration wants them, and what is logged and counted of their reads. */
import type { Configuration } from '../configuration/configuration.ts';
import { createLiveQueries, type LiveQueries } from '../live/live-queries.ts';
import { readDetail } from '../live/poller-log.ts';
import type { Observing } from './observing.ts';

export function openLiveQueries(
  configuration: Configuration,
  { observe, metrics, report }: Observing,
): LiveQueries {
  const isMasked = configuration.logMaskedVariables.length > 0;
  const logsReads = configuration.enabledLogTypes.includes('livequery-poller-log');
  return createLiveQueries({
    vocabulary: configuration.vocabulary,
    liveQueries: {
      interval: configuration.liveQueriesMultiplexedRefetchInterval,
      batchSize: configuration.liveQueriesMultiplexedBatchSize,
    },
    streams: {
      interval: configuration.streamingQueriesMultiplexedRefetchInterval,
      batchSize: configuration.streamingQueriesMultiplexedBatchSize,
    },
    missed: ({ source, role, text }) => observe({ kind: 'missed-signal', source, role, statement: text }),
    log:
      logsReads || metrics
        ? (read) => {
            metrics?.observe({ kind: 'live-query-read', read });
            if (!logsReads) return;
            const level = read.batches.some((batch) => batch.error !== undefined) ? 'error' : 'info';
            observe({ kind: 'live-query-poll', level, detail: readDetail(read, isMasked) });
          }
        : undefined,
    report,
  });
}
