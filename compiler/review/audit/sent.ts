/** Receivers outside the API to which a value of a column is sent, and what may copy it that no audit reads. */
import { displayName } from '../../../runtime/core/names.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { rulesOf } from '../../../runtime/core/schema/visible-table.ts';
import type { GeneratedCode } from '../generated-code/index.ts';
import { carriersOf } from './carriers.ts';
import { eventsByHost } from './events.ts';

/** A host that gets the value without a request of it. */
export interface Recipient {
  readonly to: string;
  readonly by: string;
}

type Place = readonly [table: Table, column: string];

/** The column, and those that hold its value or are computed from it in stored rows. */
function placesOf(code: GeneratedCode, table: Table, column: string): Place[] {
  return [
    [table, column],
    ...carriersOf(code.program, table, column).flatMap((carrier): Place[] =>
      carrier.kind === 'column' ? [[carrier.table, carrier.column]] : [],
    ),
  ];
}

export function recipientsOf(code: GeneratedCode, table: Table, column: string): Recipient[] {
  const places = placesOf(code, table, column);
  const events = eventsByHost(code).flatMap(({ host, triggers }) =>
    triggers.flatMap(({ name, source, table: on, sends = [], transforms }): Recipient[] => {
      const operations = sends.flatMap(({ operation, columns }) =>
        places.some(
          ([of, each]) =>
            of.source.name === source &&
            displayName(of.shape.schema, of.shape.name) === on &&
            columns.includes(each),
        )
          ? [operation]
          : [],
      );
      if (operations.length === 0) return [];
      const template = transforms ? '; a template decides what is sent' : '';
      return [{ to: host, by: `event trigger ${name} on ${on}, ${operations.join(', ')}${template}` }];
    }),
  );
  const validated = code.roles.flatMap((role) => {
    const rules = rulesOf(code.program.access(table), role);
    return (['insert', 'update'] as const).flatMap((operation): Recipient[] => {
      const rule = rules[operation];
      const isSent = rule?.validateInput && rule.columns.includes(column);
      return isSent
        ? [
            {
              to: rule.validateInput!.url,
              by: `${operation} of ${role}, which is asked first: the values written`,
            },
          ]
        : [];
    });
  });
  const joined = places.flatMap(([of, each]) =>
    Object.entries(of.shape.remoteRelationships ?? {}).flatMap(([name, shape]): Recipient[] =>
      shape.to === 'remote' && shape.keys.includes(each)
        ? [
            {
              to: `remote schema ${shape.remote}`,
              by: `relationship ${of.key}.${name}, when it is asked for`,
            },
          ]
        : [],
    ),
  );
  return [...events, ...validated, ...joined];
}

/** What may copy a value to another column, or show it, and is not read: names. */
export interface Unread {
  /** Tables whose triggers or rules run, with the names of these. */
  readonly triggers: readonly string[];
  /** Functions that change data. */
  readonly volatile: readonly string[];
  readonly foreignTables: readonly string[];
  /** The catalog was saved by an earlier version. */
  readonly older: boolean;
}

export function unreadBeside({ program }: GeneratedCode, { source }: Table): Unread {
  const beside = program.tables.filter((table) => table.source === source);
  return {
    triggers: beside.flatMap(({ key, shape }) =>
      shape.triggers ? [`${key} (${Object.keys(shape.triggers).join(', ')})`] : [],
    ),
    volatile: program.functions
      .filter((entry) => entry.source === source && entry.shape.volatile)
      .map(({ key }) => key),
    foreignTables: beside.filter(({ shape }) => shape.kind === 'foreign').map(({ key }) => key),
    older: source.withoutBelow === true,
  };
}

/** Sentences about what is not read; none where everything is. */
export function unreadSentences({ triggers, volatile, foreignTables, older }: Unread): string[] {
  const named = (names: readonly string[], before: string) =>
    names.length > 0 ? [`${before}: ${names.join(', ')}.`] : [];
  return [
    ...named(triggers, 'Not read: triggers and rules, which may copy values to other columns, on'),
    ...named(volatile, 'Not followed: values that functions write'),
    ...named(foreignTables, 'Not known: where rows of foreign tables come from'),
    ...(older
      ? [
          'The catalog was saved by an earlier version, which did not read functions and whole rows: run engine introspect, and compile anew.',
        ]
      : []),
  ];
}
