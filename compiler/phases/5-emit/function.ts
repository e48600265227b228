/** `<function>.ts`: the shape of a tracked function, who may call it, and what runs. */
import type { PlannedFunction } from '../../model/plan.ts';
import { functionResolver } from '../../model/resolvers.ts';
import type { FileNames } from './names.ts';
import { properties } from './table.ts';
import { inlineLiteral, templates } from './templates.ts';

/** Text of a function's file. */
export function emitFunction(
  { shape, exposedAs, rootFields, roles }: PlannedFunction,
  names: FileNames,
): string {
  const fields = rootFields.map(({ kind, name }) => ({
    name,
    kind,
    call: `${functionResolver(exposedAs, kind)}(${names.identifier}, requester, selection, args)`,
  }));
  const used = [...new Set(rootFields.map(({ kind }) => functionResolver(exposedAs, kind)))];
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
