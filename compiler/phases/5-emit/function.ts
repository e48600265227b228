/** `<function>.ts`: the shape of a tracked function, who may call it, and what runs. */
import type { PlannedFunction } from '../../model/plan.ts';
import type { FileNames } from './names.ts';
import { properties } from './table.ts';
import { inlineLiteral, templates } from './templates.ts';

/** Text of a function's file. */
export function emitFunction(
  { shape, exposedAs, rootFields, roles }: PlannedFunction,
  names: FileNames,
): string {
  const callOf = (kind: string) =>
    exposedAs === 'mutation'
      ? 'functionMutation'
      : kind === 'function_aggregate'
        ? 'functionAggregate'
        : 'functionRows';
  const fields = rootFields.map(({ kind, name }) => ({
    name,
    kind,
    call: `${callOf(kind)}(${names.identifier}, requester, selection, args)`,
  }));
  const used = [...new Set(rootFields.map(({ kind }) => callOf(kind)))];
  return templates.function({
    place: `${shape.source.name} · ${shape.schema}.${shape.name}`,
    imports: ['functionResolvers', 'trackedFunction', ...used].sort().join(', '),
    identifier: names.identifier,
    properties: properties(shape, [
      'schema',
      'name',
      'graphqlName',
      'customName',
      'description',
      'volatile',
      'arguments',
      'sessionArgument',
      'returns',
    ]),
    roles: inlineLiteral(roles),
    section: exposedAs,
    fields,
  });
}
