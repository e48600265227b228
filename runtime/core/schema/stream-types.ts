/** The types of streams: what a cursor begins with, and in which order it goes. */
import { lazy } from '../remember.ts';
import { COUNT_SCALAR, columnGraphqlType, sharedTypes } from './shared-types.ts';
import type { TableTypes } from './table-types.ts';
import {
  type ArgumentDefinition,
  byName,
  described,
  type InputFieldDefinition,
  type InputType,
  listOf,
  nonNull,
} from './types.ts';

/** Arguments of a stream of the table. */
export function streamArguments({
  visible,
  booleanExpression,
}: TableTypes): ReadonlyMap<string, ArgumentDefinition> {
  const { table } = visible;
  const { name, cursorOrdering } = sharedTypes(table.source);
  const value: InputType = {
    kind: 'input',
    name: table.names.derived('stream_cursor_value_input'),
    description: 'Initial value of the column from where the streaming should start',
    fields: lazy(() =>
      byName(
        [...(visible.select?.columns.values() ?? [])].map(
          (column): InputFieldDefinition => ({
            name: column.field,
            ...described(column.column.shape.description),
            type: columnGraphqlType(column.column, sharedTypes(table.source)),
            meaning: { kind: 'column', column },
          }),
        ),
      ),
    ),
  };
  const cursor: InputType = {
    kind: 'input',
    name: table.names.derived('stream_cursor_input'),
    description: `Streaming cursor of the table "${table.shape.graphqlName}"`,
    fields: lazy(() =>
      byName<InputFieldDefinition>([
        {
          name: name('initial_value'),
          description: 'Stream column input with initial value',
          type: nonNull(value),
          meaning: { kind: 'plain' },
        },
        {
          name: 'ordering',
          description: 'cursor ordering',
          type: cursorOrdering,
          meaning: { kind: 'plain' },
        },
      ]),
    ),
  };
  return byName<ArgumentDefinition>([
    {
      name: name('batch_size'),
      description: 'maximum number of rows returned in a single batch',
      type: nonNull(COUNT_SCALAR),
    },
    {
      name: 'cursor',
      description: 'cursor to stream the results returned by the query',
      type: nonNull(listOf(cursor)),
    },
    { name: 'where', description: 'filter the rows returned', type: booleanExpression() },
  ]);
}
