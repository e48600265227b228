import { object, withDefault } from '../../metadata/combinators.ts';
import { boolean, name } from '../../metadata/values.ts';
import { tableArguments } from '../arguments.ts';
import { refuseDependents } from '../dependents.ts';
import { withTable } from '../edit.ts';
import { findRelationship } from '../find-relationship.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../operation.ts';

export default operation({
  name: 'drop_relationship',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Drops a relationship. Permissions that use it are refused, or dropped with `cascade`.',
  arguments: object({ ...tableArguments, relationship: name, cascade: withDefault(boolean, false) }),
  policy: 'others',
  changesMetadata: true,
  run: ({ source, table, relationship, cascade }, copy) => {
    findRelationship(copy, source, table, relationship);
    refuseDependents(copy, { kind: 'relationship', source, table, name: relationship }, cascade);
    const keep = ({ name }: { readonly name: string }) => name !== relationship;
    copy.metadata = withTable(copy.metadata, source, table, (entry) => ({
      ...entry,
      object_relationships: entry.object_relationships.filter(keep),
      array_relationships: entry.array_relationships.filter(keep),
    }));
    return SUCCESS;
  },
});
