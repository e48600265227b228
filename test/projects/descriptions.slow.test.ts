/** The descriptions of the served schema are those that the real projects recorded, but for what is listed here. */
import {
  buildSchema,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { openProject, projectsPresent, readProjectFile } from '../harness/real-project.ts';

/** Differences that stay. */
const EXCLUSIONS: readonly { readonly reason: string; readonly lines: RegExp }[] = [
  {
    reason: 'the recorded schema describes a root field as the relationship that has its name',
    lines: /^(query|subscription)_root\.\w+: An (array|aggregate) relationship$/,
  },
  {
    reason:
      'columns of a constraint are in no order there; an index of some rows only is more than its columns',
    lines: /: unique or primary key constraint on columns /,
  },
];

describe.skipIf(!projectsPresent)('descriptions of real projects', () => {
  test.each([
    ['simpipe', 'admin'],
    ['carnet', 'admin'],
    ['intuition', 'anonymous'],
  ])('%s as %s', async (name, role) => {
    const { program } = await openProject(name);
    const served = descriptions(graphqlSchema(program.roleSchema(role, true)));
    const expected = descriptions(buildSchema(readProjectFile(name, `expected/schema.${role}.graphql`)));
    const different = [...expected]
      .filter(([place, text]) => served.has(place) && served.get(place) !== text)
      .map(([place, text]) => `${place}: ${text}`)
      .filter((line) => !EXCLUSIONS.some(({ lines }) => lines.test(line)));
    expect(different).toEqual([]);
  });
});

interface Described {
  readonly description?: string | null | undefined;
}

/** Descriptions by place: types, their fields and values, arguments. */
function descriptions(schema: GraphQLSchema): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  const add = (place: string, { description }: Described) =>
    found.set(place, description?.trim() || undefined);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    add(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) add(`${type.name}.${value.name}`, value);
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) add(`${type.name}.${field.name}`, field);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      add(`${type.name}.${field.name}`, field);
      for (const argument of field.args) add(`${type.name}.${field.name}(${argument.name})`, argument);
    }
  }
  return found;
}
