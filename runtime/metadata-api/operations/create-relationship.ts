import type { z } from 'zod';
import { EngineError } from '../../core/errors.ts';
import type { QualifiedName, RelationshipUsing } from '../../metadata/metadata.ts';
import {
  arrayRelationshipUsingSchema,
  relationshipUsingSchema,
} from '../../metadata/schemas/relationship.ts';
import { nameSchema, object, optional, text } from '../../metadata/schemas/shared.ts';
import { tableArguments } from '../arguments.ts';
import { findTable, NO_PATH, optionally, withTable } from '../edit.ts';
import { quoted, tablePart } from '../names.ts';
import { METADATA_AND_LEGACY, type Operation, operation, SUCCESS } from '../operation.ts';
import { fieldNames } from '../table-fields.ts';

interface Arguments<Using> {
  readonly table: QualifiedName;
  readonly source: string;
  readonly name: string;
  readonly using: Using;
  readonly comment?: string;
}

function createRelationship<Using extends RelationshipUsing>(
  kind: 'object' | 'array',
  using: z.ZodType<Using>,
  documentation: string,
): Operation {
  return operation<Arguments<Using>>({
    name: `create_${kind}_relationship`,
    spelling: 'prefixed',
    endpoints: METADATA_AND_LEGACY,
    documentation,
    arguments: object<Arguments<Using>>({
      ...tableArguments,
      name: nameSchema,
      using,
      comment: optional(text),
    } as never),
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
  relationshipUsingSchema,
  'Connects each row of a table with at most one row of another, over a foreign key or a mapping of columns.',
);

export const createArrayRelationship = createRelationship(
  'array',
  arrayRelationshipUsingSchema,
  'Connects each row of a table with any number of rows of another, over a foreign key or a mapping of columns.',
);
