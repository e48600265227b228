import { findFunction, withSource } from '../change/edit.ts';
import { type FunctionArguments, functionArguments } from '../request/arguments.ts';
import { sameName } from '../request/names.ts';
import { METADATA_AND_LEGACY, operation, SUCCESS } from '../request/operation.ts';

export default operation<FunctionArguments>({
  name: 'untrack_function',
  spelling: 'prefixed',
  endpoints: METADATA_AND_LEGACY,
  documentation:
    'Takes a function out of the API. The arguments are its name, or `{function, source}` (`table` for `function`, too).',
  arguments: functionArguments,
  policy: 'others',
  changesMetadata: true,
  run: ({ function: name, source }, copy) => {
    findFunction(copy.metadata, source, name);
    copy.metadata = withSource(copy.metadata, source, (owner) => ({
      ...owner,
      functions: owner.functions.filter((entry) => !sameName(entry.function, name)),
    }));
    return SUCCESS;
  },
});
