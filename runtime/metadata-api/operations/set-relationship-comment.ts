import { argument, object, optional } from '../../metadata/combinators.ts';
import { name, text } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { optionally, replaceWhere, without, withTable } from '../edit.ts';
import { findRelationship } from '../find-relationship.ts';
import { tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'set_relationship_comment',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Sets the comment of a relationship (`relationship`, or `name`); without `comment` it is cleared.',
  arguments: argument(
    object({
      ...tableArguments,
      relationship: optional(name),
      name: optional(name),
      comment: optional(text),
    }),
    ({ table, source, relationship, name, comment }, fail) => {
      const given = relationship ?? name;
      if (given === undefined) fail('key "relationship" not found');
      return { table, source, relationship: given ?? '', ...optionally('comment', comment) };
    },
  ),
  policy: 'target',
  targets: ({ source, table, relationship }) =>
    (['object', 'array'] as const).map((kind) => tablePart(`${kind}_relation`, relationship, source, table)),
  changesMetadata: true,
  run: ({ source, table, relationship, comment }, copy) => {
    findRelationship(copy, source, table, relationship);
    const isIt = ({ name }: { readonly name: string }) => name === relationship;
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...entry,
      object_relationships: replaceWhere(entry.object_relationships, isIt, (found) => ({
        ...without(found, 'comment'),
        ...optionally('comment', comment),
      })),
      array_relationships: replaceWhere(entry.array_relationships, isIt, (found) => ({
        ...without(found, 'comment'),
        ...optionally('comment', comment),
      })),
    }));
    return SUCCESS;
  },
});
