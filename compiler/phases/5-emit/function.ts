/** `<function>.ts`: the shape of a tracked function, who may call it, and its root fields. */
import type { DeclaredFunction } from '../../../runtime/core/contract/shapes.ts';
import type { FileNames } from './names.ts';
import { properties, sections } from './table.ts';
import { templates } from './templates.ts';

/** Text of a function's file. */
export function emitFunction(declared: DeclaredFunction, names: FileNames): string {
  return templates.function({
    place: `${declared.source.name} · ${declared.schema}.${declared.name}`,
    identifier: names.identifier,
    properties: properties(declared, [
      'schema',
      'name',
      'graphqlName',
      'customName',
      'description',
      'volatile',
      'arguments',
      'sessionArgument',
      'returns',
      'definition',
      'below',
      'definer',
      'roles',
    ]),
    sections: sections(declared.fields, 2),
  });
}
