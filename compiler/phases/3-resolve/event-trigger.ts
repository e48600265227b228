/** Event triggers of tables. They are not served, but the columns that they name have to be there. */
import { displayName } from '../../../runtime/core/names.ts';
import { diagnostics as messages } from '../../../runtime/diagnostics/catalogue.ts';
import type { Diagnostic } from '../../../runtime/diagnostics/diagnostic.ts';
import { eventTrigger } from '../../../runtime/metadata/kinds/event-trigger.ts';
import type { EventTrigger } from '../../../runtime/metadata/metadata.ts';
import { attempt, Failure, type ReportedObject, suggest } from './report.ts';
import { quoted, type SourceScope, type TableScope } from './scope.ts';

/** Reports the event triggers that name columns that are not there. */
export function checkEventTriggers(scopes: Iterable<SourceScope>, diagnostics: Diagnostic[]): void {
  for (const scope of scopes) {
    for (const table of scope.tables.values()) {
      for (const trigger of table.entry.event_triggers)
        attempt({ diagnostics }, reported(scope, table, trigger), () => requireColumns(table, trigger));
    }
  }
}

/** @throws Failure */
function requireColumns({ columns }: TableScope, { definition }: EventTrigger): void {
  for (const operation of [definition.insert, definition.update, definition.delete]) {
    for (const named of [operation?.columns, operation?.payload]) {
      if (named === undefined || named === '*') continue;
      const name = named.find((column) => !columns.has(column));
      if (name !== undefined)
        throw new Failure(messages.eventTriggerColumnMissing({ name, ...suggest(name, columns.keys()) }));
    }
  }
}

function reported(scope: SourceScope, table: TableScope, trigger: EventTrigger): ReportedObject {
  const { schema, name } = table.entry.table;
  return {
    path: trigger.path,
    type: 'event_trigger',
    name: `event_trigger ${trigger.name} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: { table: { schema, name }, configuration: eventTrigger.write(trigger) ?? null },
    context: `in table ${quoted(table.entry.table)}: in event trigger "${trigger.name}": `,
  };
}
