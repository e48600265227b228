import { EngineError } from '../../core/errors.ts';
import type { Codec } from '../../metadata/codec.ts';
import { object, optional } from '../../metadata/combinators.ts';
import { arrayRelationship, objectRelationship } from '../../metadata/kinds/relationship.ts';
import type { RelationshipUsing } from '../../metadata/metadata.ts';
import { name, text } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, type Operation, operation, SUCCESS } from '../operation.ts';
import { fieldNames } from '../table-fields.ts';

function createRelationship<Using extends RelationshipUsing>(
  kind: 'object' | 'array',
  using: Codec<Using>,
  documentation: string,
): Operation {
  return operation({
    name: `create_${kind}_relationship`,
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation,
    arguments: object({
      ...tableArguments,
      name,
      using,
      comment: optional(text),
    }),
    policy: 'target',
    targets: ({ source, table, name }) => [tablePart(`${kind}_relation`, name, source, table)],
    changesMetadata: true,
    run: ({ source, table, name, using: definition, comment }, copy) => {
      if (fieldNames(findTable(copy.metadata, source, table)).has(name)) {
        throw new EngineError(
          'already-exists',
          `field with name "${name}" already exists in table ${quoted(table)}`,
        );
      }
      const added = { ...NO_PATH, name, using: definition, ...optionally('comment', comment) };
      const list = `${kind}_relationships` as const;
      copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
        ...entry,
        [list]: [...entry[list], added],
      }));
      return SUCCESS;
    },
  });
}

export const createObjectRelationship = createRelationship(
  'object',
  objectRelationship.fields.using,
  'Connects each row of a table with at most one row of another, over a foreign key or a mapping of columns.',
);

export const createArrayRelationship = createRelationship(
  'array',
  arrayRelationship.fields.using,
  'Connects each row of a table with any number of rows of another, over a foreign key or a mapping of columns.',
);
