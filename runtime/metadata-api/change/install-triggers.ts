/** Keeps the event triggers of databases as the metadata says. */
import pg from 'pg';
import type { SourceEvents } from '../../core/contract/events.ts';
import { EngineError } from '../../core/errors.ts';
import type { Vocabulary } from '../../core/vocabulary.ts';
import { databaseError } from '../../database/errors.ts';
import { installEvents, removeEvents } from '../../events/install.ts';
import type { MetadataState } from './state.ts';

/**
 * Brings the databases from one state to another; those that are equal in both states are left alone.
 * @param always sources whose triggers are looked at in any case: something else may have changed them
 * @throws EngineError when a database refuses
 */
export async function installTriggers(
  before: MetadataState,
  after: MetadataState,
  vocabulary: Vocabulary,
  always: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const [name, { database }] of after.sources) {
    const events = eventsOf(after, name);
    const earlier = eventsOf(before, name);
    // Without a catalog nothing is known of its triggers: they stay as they are.
    const catalog = after.catalogs[name];
    if (catalog === undefined || 'error' in catalog) continue;
    const isSame = before.sources.get(name)?.database === database && sameCaptures(events, earlier);
    const known = namesOf(after, name);
    const deleted = [...namesOf(before, name)].filter((trigger) => !known.has(trigger));
    if (isSame && deleted.length === 0 && !always.has(name)) continue;
    const otherSources = [...after.sources.keys()].filter((other) => other !== name);
    try {
      await database.withClient((client) =>
        installEvents(client, events, { known, deleted, otherSources }, vocabulary),
      );
    } catch (error) {
      if (error instanceof EngineError) throw error;
      const refused = databaseError(error);
      if (!(refused instanceof EngineError)) throw error;
      // For whoever runs the server: what the database said.
      const reason = error instanceof pg.DatabaseError ? error.message : refused.message;
      throw new EngineError(
        'postgres-error',
        `event triggers of source "${name}" cannot be installed: ${reason}`,
        {
          internal: refused.internal,
          cause: error,
        },
      );
    }
  }
}

/** Removes the triggers and tables of removed sources. Failures are reported only, because the source is gone already. @param all the metadata was cleared, so remaining sources count as removed, too */
export async function removeTriggers(
  before: MetadataState,
  after: MetadataState,
  all: boolean,
  report: (message: string, error: unknown) => void,
): Promise<void> {
  for (const [name, { database }] of before.sources) {
    const stays = after.metadata.sources.some((source) => source.name === name);
    // A later step of the same bulk may have made new triggers.
    if (stays && (!all || namesOf(after, name).size > 0)) continue;
    await database
      .withClient((client) => removeEvents(client, name))
      .catch((error: unknown) => report(`Removing the event triggers of source "${name}" failed.`, error));
  }
}

function eventsOf({ compilation }: MetadataState, source: string): SourceEvents {
  return compilation.events?.sources.find((each) => each.source === source) ?? { source, triggers: [] };
}

function namesOf({ metadata }: MetadataState, source: string): ReadonlySet<string> {
  const tables = metadata.sources.find(({ name }) => name === source)?.tables ?? [];
  return new Set(tables.flatMap(({ event_triggers }) => event_triggers.map(({ name }) => name)));
}

function sameCaptures(left: SourceEvents, right: SourceEvents): boolean {
  const captures = ({ triggers }: SourceEvents) =>
    JSON.stringify(triggers.map(({ name, captures }) => [name, captures]));
  return left === right || captures(left) === captures(right);
}
