/**
 * Answers `__schema` and `__type` from the types of a role. The types of a whole schema take tens of megabytes where it
 * has hundreds of tables, so they are made for the answer and forgotten afterwards; what is kept is the answer's text.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLInt,
  GraphQLObjectType,
  GraphQLSchema,
  Kind,
  type NamedTypeNode,
  OperationTypeNode,
  OverlappingFieldsCanBeMergedRule,
  type SelectionNode,
  specifiedRules,
  type TypeNode,
  validate,
} from 'graphql';
import { EngineError } from '../errors.ts';
import { lazy } from '../remember.ts';
import type { SelectedField } from '../request/selection.ts';
import type { SelectionContext } from '../request/selection-set.ts';
import { type IntrospectedSchema, schemaOf } from './introspected-schema.ts';
import { IntrospectionAnswer } from './introspection-answer.ts';
import { type Asked, IntrospectionSelection } from './introspection-selection.ts';
import { createRoleSchema, type RoleSchema } from './role-schema.ts';

/** Has the types of introspection and nothing else: those are the same for every role. */
const INTROSPECTION = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'query_root', fields: { none: { type: GraphQLInt } } }),
});

/** Maximum characters of the answers of one operation: aliases can ask for the whole schema again and again. */
const MAX_ANSWERS = 256 * 1024 * 1024;

/** The rule of merging takes time that grows with the square of the fields; IntrospectionSelection checks the same. */
const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/** Answers one of the fields. Reusable unless a variable took part. @throws EngineError */
type Introspect = (field: SelectedField) => { readonly text: string; readonly reusable: boolean };

/**
 * Reads `__schema` and `__type` of one operation: they are validated together, and answered from the same types, so that many
 * of them cost little more than one.
 * @throws EngineError
 */
export function introspectionOf(
  roleSchema: RoleSchema,
  fields: readonly SelectedField[],
  context: SelectionContext,
): Introspect {
  const nodes = fields.flatMap((field) => (field.nodes ?? []) as readonly FieldNode[]);
  const fragments = reachable(nodes, context);
  const path = fields[0]?.path ?? '$';
  check(nodes, fragments, path, context);
  const selection = new IntrospectionSelection(fragments, context.variables.values, path);
  const schema = lazy(() => freshSchema(roleSchema));
  const size = { left: MAX_ANSWERS };
  return (field) => {
    const set = {
      kind: Kind.SELECTION_SET,
      selections: (field.nodes ?? []) as readonly FieldNode[],
    } as const;
    const asked = selection.of('query_root', [set])[0]!;
    const text = answer(asked, schema(), field, size);
    return { text, reusable: context.operation.variables.size === 0 };
  };
}

function freshSchema(roleSchema: RoleSchema): IntrospectedSchema {
  const { program, role, options } = roleSchema;
  return schemaOf(createRoleSchema(program, role, roleSchema, options));
}

function answer(
  asked: Asked,
  schema: IntrospectedSchema,
  { path }: SelectedField,
  size: { left: number },
): string {
  if (asked.name === '__schema') return IntrospectionAnswer.ofSchema(schema, asked.below, size);
  const name = asked.arguments.name;
  if (typeof name !== 'string')
    throw new EngineError('validation-failed', "expected a string for type 'String'", { path });
  const type = schema.types.get(name);
  return type ? IntrospectionAnswer.ofType(type, asked.below, size) : 'null';
}

/** Fragments that the selections spread, and those that these spread. */
function reachable(
  nodes: readonly FieldNode[],
  { operation }: SelectionContext,
): ReadonlyMap<string, FragmentDefinitionNode> {
  const found = new Map<string, FragmentDefinitionNode>();
  const visit = (selections: readonly SelectionNode[]): void => {
    for (const node of selections) {
      if (node.kind !== Kind.FRAGMENT_SPREAD) {
        visit(node.selectionSet?.selections ?? []);
        continue;
      }
      const name = node.name.value;
      const fragment = operation.fragments.get(name);
      if (!fragment || found.has(name)) continue;
      found.set(name, fragment);
      visit(fragment.selectionSet.selections);
    }
  };
  visit(nodes);
  return found;
}

/** Validates the selections as graphql-js does. @throws EngineError for the first problem */
function check(
  nodes: readonly FieldNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  path: string,
  { operation }: SelectionContext,
): void {
  const definitions = (operation.node.variableDefinitions ?? []).filter(({ type }) => {
    const { name } = innermost(type);
    return name.value === 'String' || name.value === 'Boolean';
  });
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: OperationTypeNode.QUERY,
        variableDefinitions: definitions,
        selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
      },
      ...fragments.values(),
    ],
  };
  const problem = validate(INTROSPECTION, document, RULES, { maxErrors: 20 }).find(
    (error) => !/never used|is never/.test(error.message),
  );
  if (problem) throw new EngineError('validation-failed', problem.message, { path });
}

function innermost(type: TypeNode): NamedTypeNode {
  return type.kind === Kind.NAMED_TYPE ? type : innermost(type.type);
}
