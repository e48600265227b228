import { EngineError } from '../../core/errors.ts';
import { object } from '../../metadata/combinators.ts';
import { name } from '../../metadata/values.ts';
import { replaceWhere } from '../edit.ts';
import { sourceObject } from '../names.ts';
import { METADATA, operation, SUCCESS } from '../operation.ts';
import { changeRemoteTables } from '../rename.ts';

export default operation({
  name: 'rename_source',
  spelling: 'bare',
  endpoints: METADATA,
  documentation: 'Renames a source, also in the relationships that point to it.',
  arguments: object({ name, new_name: name }),
  policy: 'target',
  targets: ({ new_name }) => [sourceObject(new_name)],
  changesMetadata: true,
  run: ({ name, new_name }, copy) => {
    const { metadata } = copy;
    if (!metadata.sources.some((source) => source.name === name)) {
      throw new EngineError('not-exists', `Could not find source with name "${name}"`);
    }
    if (metadata.sources.some((source) => source.name === new_name)) {
      throw new EngineError('already-exists', `Source with name "${new_name}" already exists`);
    }
    const renamed = <Named extends { readonly source: string }>(target: Named): Named =>
      target.source === name ? { ...target, source: new_name } : target;
    const changed = changeRemoteTables(metadata, renamed);
    const sources = replaceWhere(
      changed.sources,
      (source) => source.name === name,
      (source) => ({ ...source, name: new_name }),
    );
    copy.metadata = { ...changed, sources };
    return SUCCESS;
  },
});
