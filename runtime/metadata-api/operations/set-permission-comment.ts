import { EngineError } from '../../core/errors.ts';
import { object, optional } from '../../metadata/combinators.ts';
import { name, oneOf, text } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'set_permission_comment',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Sets the comment of a permission; without `comment` it is cleared.',
  arguments: object({
    ...tableArguments,
    role: name,
    permission: oneOf('insert', 'select', 'update', 'delete'),
    comment: optional(text),
  }),
  policy: 'target',
  targets: ({ source, table, role, permission }) => [
    tablePart(`${permission}_permission`, role, source, table),
  ],
  changesMetadata: true,
  run: ({ source, table, role, permission, comment }, copy) => {
    const list = `${permission}_permissions` as const;
    const entries: readonly { readonly role: string; readonly comment?: string }[] = findTable(
      copy.metadata,
      source,
      table,
    )[list];
    if (!entries.some((entry) => entry.role === role)) {
      throw new EngineError(
        'permission-denied',
        `'${permission}' permission on ${quoted(table)} for role "${role}" does not exist`,
      );
    }
    const changed = entries.map((entry) => {
      if (entry.role !== role) return entry;
      const { comment: _, ...rest } = entry;
      return { ...rest, ...optionally('comment', comment) };
    });
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({ ...entry, [list]: changed }));
    return SUCCESS;
  },
});
