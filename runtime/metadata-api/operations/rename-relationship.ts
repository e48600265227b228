import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { createReferenceContext } from '../../metadata/reference-context.ts';
import { name } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { findSource, findTable, replaceWhere, withSource, withTable } from '../edit.ts';
import { columnNames, findRelationship } from '../find-relationship.ts';
import { quoted, sameName } from '../names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';
import { renameInSource, sameNames } from '../rename.ts';
import { fieldNames } from '../table-fields.ts';

export default operation({
  name: 'rename_relationship',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Renames a relationship, also in the permissions that use it.',
  arguments: object({ ...tableArguments, name, new_name: name }),
  policy: 'others',
  changesMetadata: true,
  run: ({ source, table, name, new_name }, copy) => {
    findRelationship(copy, source, table, name);
    const taken =
      fieldNames(findTable(copy.metadata, source, table)).has(new_name) ||
      columnNames(copy, source, table).has(new_name);
    if (taken) {
      throw new EngineError(
        'already-exists',
        `cannot rename relationship "${name}" to "${new_name}" in table ${quoted(table)} as a column/relationship with ` +
          'the name already exists',
      );
    }
    const context = createReferenceContext(findSource(copy.metadata, source), copy.catalog(source));
    const isIt = (entry: { readonly name: string }) => entry.name === name;
    copy.metadata = withSource(copy.metadata, source, (owner) =>
      renameInSource(owner, context, {
        ...sameNames,
        relationship: (of, relationship) =>
          sameName(of, table) && relationship === name ? new_name : relationship,
      }),
    );
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...entry,
      object_relationships: replaceWhere(entry.object_relationships, isIt, (found) => ({
        ...found,
        name: new_name,
      })),
      array_relationships: replaceWhere(entry.array_relationships, isIt, (found) => ({
        ...found,
        name: new_name,
      })),
    }));
    return SUCCESS;
  },
});
