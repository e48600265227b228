/** Whether a document that leaves is within a part of a remote schema, with every preset as the part says. */
import {
  type ArgumentNode,
  buildSchema,
  type ConstDirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isInputObjectType,
  Kind,
  type ObjectFieldNode,
  parse,
  print,
  TypeInfo,
  type ValueNode,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import type { RemoteRequest } from '../../../runtime/outgoing/remote/document.ts';

export const OF_SESSION = 'of the session';
/** Texts of the client; no preset, key or default has one of these values. */
export const OF_CLIENT = 'of the client';
/** A value that joins look up. */
export const KEY = 'of the row';

/** The part as a schema; its presets are in the AST. @throws GraphQLError */
export function schemaOf(part: string): GraphQLSchema {
  const directive =
    'directive @preset(value: P, static: Boolean) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION\nscalar P\n';
  return buildSchema(directive + part, { assumeValid: true });
}

export interface Checked {
  readonly problems: readonly string[];
  readonly presets: number;
}

/** Why GraphQL refuses a document with its variables. */
export function problemsOf(schema: GraphQLSchema, sent: RemoteRequest): string[] {
  const document = parse(sent.query);
  const problems = validate(schema, document).map(({ message }) => message);
  return problems.length > 0 ? problems : variableProblems(schema, document, valuesOf(sent));
}

function valuesOf({ variables }: RemoteRequest): Record<string, unknown> {
  return Object.fromEntries([...variables].map(([name, json]) => [name, JSON.parse(json)]));
}

/** @param isJoin values of rows, and literals of relationships, go before presets */
export function checkSent(schema: GraphQLSchema, sent: RemoteRequest, isJoin: boolean): Checked {
  const document = parse(sent.query);
  const problems = problemsOf(schema, sent);
  if (problems.length > 0) return { problems, presets: 0 };
  const values = valuesOf(sent);
  const found = checkPresets(schema, document, values, isJoin);
  return found;
}

function variableProblems(
  schema: GraphQLSchema,
  document: DocumentNode,
  values: Readonly<Record<string, unknown>>,
): string[] {
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return ['there is no operation'];
  const definitions = operation.variableDefinitions ?? [];
  const read = getVariableValues(schema, definitions, values);
  const declared = new Set(definitions.map(({ variable }) => variable.name.value));
  return [
    ...(read.errors ?? []).map(({ message }) => message),
    ...Object.keys(values)
      .filter((name) => !declared.has(name))
      .map((name) => `the variable ${name} is sent, but not declared`),
  ];
}

type Given = readonly (ArgumentNode | ObjectFieldNode)[];

/** Every preset argument, and every preset field of an input object, is there with its value. */
function checkPresets(
  schema: GraphQLSchema,
  document: DocumentNode,
  values: Readonly<Record<string, unknown>>,
  isJoin: boolean,
): Checked {
  const problems: string[] = [];
  let presets = 0;
  const info = new TypeInfo(schema);
  const check = (name: string, directives: readonly ConstDirectiveNode[] | undefined, given: Given = []) => {
    const wanted = presetOf(directives);
    if (!wanted) return;
    presets += 1;
    const sent = given.filter((each) => each.name.value === name);
    const [first] = sent;
    if (sent.length !== 1 || !first) problems.push(`the preset ${name} is sent ${sent.length} times`);
    else if (!isPreset(wanted, first.value, values) && !(isJoin && isOfRelationship(first.value)))
      problems.push(`the preset ${name} is ${print(first.value)} instead of ${print(wanted)}`);
  };
  visit(
    document,
    visitWithTypeInfo(info, {
      enter: (node) => {
        if (node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD) {
          const parent = getNamedType(info.getParentInputType());
          const definition =
            node.kind === Kind.ARGUMENT
              ? info.getArgument()
              : isInputObjectType(parent)
                ? parent.getFields()[node.name.value]
                : undefined;
          const wanted = presetOf(definition?.astNode?.directives);
          // The presets of fields do not apply within a preset.
          if (wanted && isPreset(wanted, node.value, values)) return false;
        } else if (node.kind === Kind.OBJECT) {
          const type = getNamedType(info.getInputType());
          for (const field of isInputObjectType(type) ? Object.values(type.getFields()) : [])
            check(field.name, field.astNode?.directives, node.fields);
        } else if (node.kind === Kind.FIELD) {
          for (const argument of info.getFieldDef()?.args ?? [])
            check(argument.name, argument.astNode?.directives, node.arguments);
        }
        return undefined;
      },
    }),
  );
  return { problems, presets };
}

function presetOf(directives: readonly ConstDirectiveNode[] = []): ValueNode | undefined {
  return directives.find((each) => each.name.value === 'preset')?.arguments?.[0]?.value;
}

function isPreset(wanted: ValueNode, given: ValueNode, values: Readonly<Record<string, unknown>>): boolean {
  if (wanted.kind === Kind.OBJECT)
    return (
      given.kind === Kind.OBJECT &&
      given.fields.length === wanted.fields.length &&
      wanted.fields.every((field) =>
        given.fields.some(
          (each) => each.name.value === field.name.value && isPreset(field.value, each.value, values),
        ),
      )
    );
  if (wanted.kind === Kind.STRING && wanted.value.toLowerCase() === 'x-engine-x')
    return given.kind === Kind.VARIABLE && values[given.name.value] === OF_SESSION;
  return print(given) === print(wanted);
}

/** A value of a row, or a literal of a relationship: the client has no variable, and no literal, like it. */
function isOfRelationship(given: ValueNode): boolean {
  if (given.kind === Kind.OBJECT) return given.fields.some(({ value }) => isOfRelationship(value));
  if (given.kind === Kind.LIST) return given.values.every(isOfRelationship);
  if (given.kind === Kind.VARIABLE) return /^f\d+_/.test(given.name.value);
  return !print(given).includes(OF_CLIENT) && !['5', '2.5', 'false'].includes(print(given));
}
