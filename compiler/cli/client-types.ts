/** TypeScript types for a role's clients: of the whole schema, or of exactly the saved operations that the role may run. */
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  Kind,
  type NameNode,
  parse,
  printSchema,
  visit,
} from 'graphql';
import { unlessRefused } from '../../runtime/core/errors.ts';
import { pascalCase } from '../../runtime/core/names.ts';
import type { Program } from '../../runtime/core/program/program.ts';
import { analyseOperation } from '../../runtime/core/request/analyse.ts';
import { chooseOperation, parseDocument } from '../../runtime/core/request/document.ts';
import type { SavedOperation } from '../../runtime/core/saved/saved.ts';
import { stringLiteral } from '../phases/5-emit/templates.ts';
import { type ScalarTypes, scalarTypes } from './client-scalars.ts';

/** Every type of the schema. */
export async function schemaTypes(
  schema: GraphQLSchema,
  program: Program,
  stringifyNumbers: boolean,
): Promise<string> {
  return codegen({
    documents: [],
    filename: 'types.ts',
    schema: parse(printSchema(schema)),
    // Values of enums are the texts that clients send and get.
    config: { ...settings(scalarTypes(program, stringifyNumbers)), enumsAsTypes: true },
    plugins: [{ typescript: {} }],
    pluginMap: { typescript },
  });
}

/** Scalars that nothing is known of stay `unknown`. */
function settings(scalars: ScalarTypes): object {
  return { scalars, defaultScalarType: 'unknown', useTypeImports: true };
}

/** Variables and result of each saved operation that the role may run, and all of them by the ids that call them. */
export async function operationTypes(
  schema: GraphQLSchema,
  role: string,
  program: Program,
  saved: readonly SavedOperation[],
  stringifyNumbers: boolean,
): Promise<string> {
  const typeName = uniqueNames();
  const operations = saved
    .filter(({ kind, document }) => kind !== 'subscription' && mayRun(role, document, program))
    .map(({ collection, name, kind, document }) => {
      const type = typeName(name);
      return {
        id: `${collection}/${name}`,
        type: `${type}${kind === 'query' ? 'Query' : 'Mutation'}`,
        document: rename(inlineFragments(parse(document)), type),
      };
    });
  const types = await codegen({
    documents: operations.map(({ id, document }) => ({ location: id, document })),
    filename: 'operations.ts',
    schema: parse(printSchema(schema)),
    // They are known to be valid, under rules that allow a little more than those of the standard.
    skipDocumentsValidation: true,
    config: {
      ...settings(scalarTypes(program, stringifyNumbers)),
      namingConvention: 'keep',
      skipTypename: true,
    },
    plugins: [{ typescriptOperations: {} }],
    pluginMap: { typescriptOperations },
  });
  const entries = operations.map(
    ({ id, type }) => `  ${stringLiteral(id)}: { variables: ${type}Variables; result: ${type} };\n`,
  );
  return `// The saved operations that role ${JSON.stringify(role)} may run. Made by engine schema --as operations.
${types.trim()}

/** Every operation by its documentId: \`{"documentId": …, "variables": …}\` is sent, \`{"data": …}\` comes back. */
export interface SavedOperations {
${entries.join('')}}
`;
}

function mayRun(role: string, document: string, program: Program): boolean {
  const roleSchema = program.roleSchema(role, false);
  const analyse = () => analyseOperation(roleSchema, chooseOperation(parseDocument(document), undefined));
  return unlessRefused(analyse) !== undefined;
}

/** Spells names of queries as names of types, each differently. */
function uniqueNames(): (name: string) => string {
  const taken = new Set<string>();
  return (name) => {
    const words = pascalCase(name.replaceAll(/[^A-Za-z0-9]+/g, '_')).replaceAll('_', '');
    const plain = /^[A-Za-z]/.test(words) ? words : `Operation${words}`;
    let unique = plain;
    for (let count = 2; taken.has(unique); count += 1) unique = `${plain}${count}`;
    taken.add(unique);
    return unique;
  };
}

function rename(document: DocumentNode, name: string): DocumentNode {
  const value: NameNode = { kind: Kind.NAME, value: name };
  return visit(document, { [Kind.OPERATION_DEFINITION]: (operation) => ({ ...operation, name: value }) });
}

/** Fragments of several operations may share a name, so each is written where it is spread. */
function inlineFragments(document: DocumentNode): DocumentNode {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions)
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  if (fragments.size === 0) return document;
  const expanded: DocumentNode = visit(document, {
    // The result is visited again, with what is spread inside.
    [Kind.FRAGMENT_SPREAD]: ({ name, directives }) => {
      const { typeCondition, selectionSet } = fragments.get(name.value)!;
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet };
    },
  });
  const definitions = expanded.definitions.filter(({ kind }) => kind !== Kind.FRAGMENT_DEFINITION);
  return { ...expanded, definitions };
}
