import { EngineError } from '../../core/errors.ts';
import { quotedName } from '../../core/names.ts';
import { argument, object, optional, withDefault } from '../../metadata/combinators.ts';
import { arrayRelationship, objectRelationship } from '../../metadata/kinds/relationship.ts';
import { comment } from '../../metadata/kinds/shared.ts';
import { mapReferences } from '../../metadata/map-references.ts';
import { boolean, name } from '../../metadata/values.ts';
import { refuseDependents } from '../change/dependents.ts';
import { findTable } from '../change/edit.ts';
import { columnNames, fieldNames, refuseTakenField } from '../change/table-fields.ts';
import type { WorkingCopy } from '../change/working-copy.ts';
import { tableArguments } from '../request/arguments.ts';
import {
  type KeyedList,
  listOperations,
  type TablePlace,
  tableList,
  withComment,
} from '../request/list-operations.ts';
import { sameName, tablePart } from '../request/names.ts';
import { METADATA_AND_LEGACY, type MetadataOperation } from '../request/operation.ts';

const common = { spelling: 'prefixed', endpoints: METADATA_AND_LEGACY } as const;

const lists = {
  object: tableList('object_relationships', 'name'),
  array: tableList('array_relationships', 'name'),
} as const;

type Named = { readonly name: string; readonly comment?: string };

/** The relationships of both kinds, which share their names. */
const either: KeyedList<TablePlace, Named> = {
  key: 'name',
  place: ['source', 'table'],
  read: (metadata, place) => [...lists.object.read(metadata, place), ...lists.array.read(metadata, place)],
  update: (metadata, place, change) =>
    [lists.object, lists.array].reduce(
      (changed, list) => list.update(changed, place, change as never),
      metadata,
    ),
};

const identify =
  (kind: 'object' | 'array') =>
  (relationship: string, { source, table }: TablePlace) =>
    tablePart(`${kind}_relation`, relationship, source, table);

const { change, drop } = listOperations(either, common, (relationship, place) =>
  (['object', 'array'] as const).map((kind) => identify(kind)(relationship, place)),
);

interface Relationship extends TablePlace {
  readonly relationship: string;
}

function missing({ source, table, relationship }: Relationship, copy: WorkingCopy): EngineError {
  return columnNames(copy, source, table).has(relationship)
    ? new EngineError(
        'unexpected-payload',
        `expecting a relationship; but, "${relationship}" is a postgres column; `,
      )
    : new EngineError('not-exists', `relationship "${relationship}" does not exist`);
}

const createObject = listOperations(lists.object, common, (key, place) => [identify('object')(key, place)]);
const createArray = listOperations(lists.array, common, (key, place) => [identify('array')(key, place)]);

export const relationshipOperations: readonly MetadataOperation[] = [
  createObject.create({
    name: 'create_object_relationship',
    documentation:
      'Connects each row of a table with at most one row of another, over a foreign key or a mapping of columns.',
    arguments: object({ ...tableArguments, ...objectRelationship.fields }),
    before: (args, copy) => refuseTakenField(copy.metadata, args),
  }),
  createArray.create({
    name: 'create_array_relationship',
    documentation:
      'Connects each row of a table with any number of rows of another, over a foreign key or a mapping of columns.',
    arguments: object({ ...tableArguments, ...arrayRelationship.fields }),
    before: (args, copy) => refuseTakenField(copy.metadata, args),
  }),
  drop({
    name: 'drop_relationship',
    documentation: 'Drops a relationship. Permissions that use it are refused, or dropped with `cascade`.',
    arguments: object({ ...tableArguments, relationship: name, cascade: withDefault(boolean, false) }),
    keyArgument: 'relationship',
    missing,
    after: ({ source, table, relationship, cascade }, copy) =>
      refuseDependents(copy, { kind: 'relationship', source, table, name: relationship }, cascade),
  }),
  change({
    name: 'rename_relationship',
    documentation: 'Renames a relationship, also in the permissions that use it.',
    arguments: object({ ...tableArguments, name, new_name: name }),
    policy: 'others',
    missing: (args, copy) => missing({ ...args, relationship: args.name }, copy),
    after: renameReferences,
    change: (found, { new_name }) => ({ ...found, name: new_name }),
  }),
  change({
    name: 'set_relationship_comment',
    documentation:
      'Sets the comment of a relationship (`relationship`, or `name`); without `comment` it is cleared.',
    arguments: argument(
      object({ ...tableArguments, relationship: optional(name), name: optional(name), comment }),
      ({ relationship, name: other, ...args }, fail) => {
        const given = relationship ?? other;
        if (given === undefined) fail('key "relationship" not found');
        return { ...args, relationship: given ?? '' };
      },
    ),
    keyArgument: 'relationship',
    missing,
    change: withComment,
  }),
];

interface Renaming extends TablePlace {
  readonly name: string;
  readonly new_name: string;
}

/** Renames a relationship where permissions use it; throws `already-exists` if the name is taken. */
function renameReferences({ source, table, name: before, new_name }: Renaming, copy: WorkingCopy): void {
  const taken =
    fieldNames(findTable(copy.metadata, source, table)).has(new_name) ||
    columnNames(copy, source, table).has(new_name);
  if (taken) {
    throw new EngineError(
      'already-exists',
      `cannot rename relationship "${before}" to "${new_name}" in table ${quotedName(table)} as a column/relationship with ` +
        'the name already exists',
    );
  }
  copy.metadata = mapReferences(copy.metadata, (name) => copy.catalog(name), {
    relationship: (of, relationship) =>
      of.source === source && sameName(of.table, table) && relationship === before ? new_name : relationship,
  });
}
