/** `<function>.ts`: the shape of a tracked function, who may call it, and its root fields. */
import type { DeclaredFunction } from '../../../runtime/core/contract/shapes.ts';
import { fullName } from '../../../runtime/core/names.ts';
import type { FileNames } from './names.ts';
import { properties, sections } from './table.ts';
import { templates } from './templates.ts';

/** The text, with what would end or change a template literal escaped. */
function templateLiteral(text: string): string {
  return `\`${text.replace(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r')}\``;
}

/** Text of a function's file. */
export function emitFunction(declared: DeclaredFunction, names: FileNames): string {
  return templates.function({
    place: `${declared.source.name} · ${fullName('function', declared)}`,
    identifier: names.identifier,
    properties: properties(declared, [
      'schema',
      'name',
      'graphqlName',
      'customName',
      'description',
      'volatile',
      'writes',
      'arguments',
      'sessionArgument',
      'returns',
      'bodyHash',
      'below',
      'definer',
      'roles',
    ]),
    // Over several lines, as it was written.
    sql: declared.sql === undefined ? [] : [templateLiteral(declared.sql)],
    sections: sections(declared.fields, 2),
  });
}
