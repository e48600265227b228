import { EngineError } from '../../core/errors.ts';
import { isObject } from '../../core/json/json.ts';
import { quotedName } from '../../core/names.ts';
import { argument, choose, object, optional } from '../../metadata/combinators.ts';
import { functionConfiguration } from '../../metadata/kinds/function.ts';
import { qualifiedName } from '../../metadata/kinds/shared.ts';
import type { FunctionConfiguration, FunctionEntry, QualifiedName } from '../../metadata/metadata.ts';
import { text } from '../../metadata/values.ts';
import { NO_PATH, optionally, trackedFunctionEntry, trackedTableEntry, withSource } from '../change/edit.ts';
import { sourceArgument } from '../request/arguments.ts';
import { functionObject } from '../request/names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

interface Arguments {
  readonly function: QualifiedName;
  readonly source: string;
  readonly configuration?: FunctionConfiguration;
  readonly comment?: string;
}

export default operation({
  name: 'track_function',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation: 'Makes a function that returns rows of a tracked table part of the API.',
  arguments: choose<Arguments>((input) =>
    isObject(input) && 'function' in input
      ? object({
          function: qualifiedName,
          source: sourceArgument,
          configuration: optional(functionConfiguration),
          comment: optional(text),
        })
      : argument(qualifiedName, (name) => ({ function: name, source: 'default' })),
  ),
  policy: 'target',
  targets: ({ source, function: name }) => [functionObject(source, name)],
  changesMetadata: true,
  run: ({ function: name, source, configuration, comment }, copy) => {
    if (trackedFunctionEntry(copy.metadata, source, name) !== undefined) {
      throw new EngineError('already-tracked', `function already tracked: ${quotedName(name)}`);
    }
    if (trackedTableEntry(copy.metadata, source, name) !== undefined) {
      throw new EngineError('not-supported', `table with name ${quotedName(name)} already exists`);
    }
    const added: FunctionEntry = {
      ...NO_PATH,
      function: name,
      configuration: configuration ?? { custom_root_fields: {} },
      permissions: [],
      ...optionally('comment', comment),
    };
    copy.metadata = withSource(copy.metadata, source, (owner) => ({
      ...owner,
      functions: [...owner.functions, added],
    }));
    return SUCCESS;
  },
});
