/** Installs the event triggers of a compiled program, where no metadata is served that would do so. */
import type { EventsProgram } from '../core/contract/events.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import type { SourceConnections } from '../database/source.ts';
import type { Observer } from '../observe/logs/observe.ts';
import { installEvents } from './install.ts';

/** Failures are reported and leave a source as it is: events of triggers that are installed are still delivered. */
export async function installProgram(
  program: EventsProgram | undefined,
  sources: SourceConnections,
  vocabulary: Vocabulary,
  observe: Observer,
): Promise<void> {
  for (const events of program?.sources ?? []) {
    const { source, triggers } = events;
    const known = new Set(triggers.map(({ name }) => name));
    try {
      await sources
        .get(source)
        ?.withClient((client) => installEvents(client, events, { known, deleted: [] }, vocabulary));
    } catch (error) {
      const message = 'installing event triggers failed';
      observe({ kind: 'event-delivery', level: 'error', message, source, error });
    }
  }
}
