/** TypeScript types of the JSON values of the API's scalars. */

import type { SourceShape } from '../../runtime/core/contract/shapes.ts';
import { BUILT_IN_SCALARS } from '../../runtime/core/names.ts';
import type { Program } from '../../runtime/core/program/program.ts';
import { type ColumnType, columnType, isStringified } from '../../runtime/core/types.ts';
import { stringLiteral } from '../phases/5-emit/templates.ts';

/** Scalar → type of its values in variables and in answers. */
export type ScalarTypes = Readonly<Record<string, { readonly input: string; readonly output: string }>>;

/** @param stringifyNumbers whether answers give numbers that JavaScript may not hold as strings */
export function scalarTypes(program: Program, stringifyNumbers: boolean): ScalarTypes {
  const types: Record<string, { input: string; output: string }> = {};
  const add = (source: SourceShape, given: ColumnType) => {
    const type = given.element ?? given;
    if (BUILT_IN_SCALARS.has(type.scalar)) return;
    const known = types[type.scalar];
    const next = scalarType(source, type, stringifyNumbers);
    // Two sources may have different types of one name.
    types[type.scalar] =
      !known || known.output === next.output ? next : { input: 'unknown', output: 'unknown' };
  };
  for (const { source, columns, computedFields } of program.tables) {
    for (const { type } of columns.values()) add(source, type);
    for (const { returns } of computedFields.values()) if ('type' in returns) add(source, returns.type);
  }
  for (const { source, shape } of program.functions)
    for (const { type } of shape.arguments) add(source, columnType(source, type));
  return types;
}

function scalarType(
  source: SourceShape,
  type: ColumnType,
  stringifyNumbers: boolean,
): { input: string; output: string } {
  const declared = source.types[type.key];
  if (declared?.kind === 'enum') {
    const values = declared.values.map(stringLiteral).join(' | ') || 'never';
    return { input: values, output: values };
  }
  switch (type.family) {
    case 'integer':
    case 'float': {
      // Postgres writes money with its currency.
      const isText = type.name === 'money' || (stringifyNumbers && isStringified(type));
      return { input: 'number | string', output: isText ? 'string' : 'number' };
    }
    case 'json':
    case 'jsonb':
    case 'geometry':
    case 'geography':
      return { input: 'unknown', output: 'unknown' };
    default:
      return declared?.kind === 'composite' || declared?.kind === 'row'
        ? { input: 'unknown', output: 'unknown' }
        : { input: 'string', output: 'string' };
  }
}
