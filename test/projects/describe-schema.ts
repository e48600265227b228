/** A schema as lines, one per type, field, argument and value, so that two schemas can be compared piece by piece. */
import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';

/** Sorted lines such as `type article.author: author!`; descriptions and directives are not among them. */
export function describeSchema(schema: GraphQLSchema): readonly string[] {
  const lines: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    if (isObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        lines.push(`${type.name}.${field.name}: ${field.type}`);
        for (const argument of field.args) {
          lines.push(`${type.name}.${field.name}(${argument.name}: ${argument.type}${printed(argument)})`);
        }
      }
    } else if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) {
        lines.push(`input ${type.name}.${field.name}: ${field.type}${printed(field)}`);
      }
    } else if (isEnumType(type)) {
      for (const value of type.getValues()) lines.push(`enum ${type.name}.${value.name}`);
    } else if (isUnionType(type)) {
      lines.push(`union ${type.name} = ${type.getTypes().join(' | ')}`);
    } else {
      lines.push(`scalar ${type.name}`);
    }
  }
  return lines.sort();
}

function printed({ defaultValue }: { readonly defaultValue?: unknown }): string {
  return defaultValue === undefined ? '' : ` = ${JSON.stringify(defaultValue)}`;
}
