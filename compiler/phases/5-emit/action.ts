/** `actions/types.ts`, and one file for each action: types, who may call it, and what leaves for which handler. */

import { Kind, parseType, type TypeNode } from 'graphql';
import type { ActionShape, ActionsProgram, CustomTypesShape } from '../../../runtime/core/action/shapes.ts';
import { camelCase, upperFirst } from '../../../runtime/core/names.ts';
import { baseType } from '../3-resolve/custom-types.ts';
import type { ProgramNames } from './names.ts';
import { entries, properties } from './table.ts';
import { templates } from './templates.ts';

/** Texts by path. */
export function emitActions({ types, actions }: ActionsProgram, names: ProgramNames): [string, string][] {
  return [
    ['actions/types.ts', emitTypes(types)],
    ...actions.map((action): [string, string] => {
      const file = names.action(action.name);
      return [`${file.path}.ts`, emitAction(action, types, file.identifier)];
    }),
  ];
}

function emitTypes(types: CustomTypesShape): string {
  const { scalars = {}, enums = {}, inputs = {}, objects = {}, postgres } = types;
  const described = (shape: { readonly description?: string }) => properties(shape, ['description']);
  const groups = (shape: object) =>
    (['values', 'fields', 'relationships'] as const).flatMap((name) => {
      const record = (shape as Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>)[name];
      return record ? [{ name, entries: entries(record, 4) }] : [];
    });
  const sections = Object.entries({ scalars, enums, inputs, objects }).flatMap(([name, record]) => {
    const listed = Object.entries(record).map(([type, shape]) => ({
      name: type,
      properties: described(shape),
      groups: groups(shape),
    }));
    return listed.length > 0 ? [{ name, types: listed }] : [];
  });
  const fields = (name: string, shape: { readonly fields: Readonly<Record<string, { type: string }>> }) =>
    `export interface ${name} {\n${Object.entries(shape.fields)
      .map(([field, { type }]) => `  ${member(field, type)}\n`)
      .join('')}}`;
  return templates.customTypes({
    sections,
    hasPostgres: postgres !== undefined,
    postgres: entries(postgres ?? {}, 2),
    declarations: [
      ...Object.keys(scalars).map((name) => `export type ${name} = unknown;`),
      ...Object.entries(postgres ?? {}).map(([name, key]) => `export type ${name} = ${nativeText(key)};`),
      ...Object.entries(enums).map(
        ([name, { values }]) =>
          `export type ${name} = ${Object.keys(values)
            .map((value) => JSON.stringify(value))
            .join(' | ')};`,
      ),
      ...Object.entries(inputs).map(([name, shape]) => fields(name, shape)),
      ...Object.entries(objects).map(([name, shape]) => fields(name, shape)),
    ],
  });
}

function emitAction(action: ActionShape, types: CustomTypesShape, identifier: string): string {
  const { name, type, kind, arguments: args, output } = action;
  const used = [...new Set([output, ...Object.values(args).map((argument) => argument.type)].map(baseType))];
  return templates.action({
    place: `action ${name} · ${kind === 'asynchronous' ? 'asynchronous ' : ''}${type}`,
    imports: used
      .filter((each) => isCustom(types, each))
      .sort()
      .join(', '),
    interfaceName: upperFirst(camelCase(name)),
    fields: Object.entries(args).map(([argument, shape]) => member(argument, shape.type)),
    output: typeText(parseType(output, { noLocation: true })),
    identifier,
    properties: properties(action, ['name', 'description', 'type', 'kind']),
    arguments: entries(args, 2),
    call: properties(action, [
      'output',
      'handler',
      'headers',
      'forwardClientHeaders',
      'ignoredClientHeaders',
      'timeout',
      'requestTransform',
      'responseTransform',
      'roles',
    ]),
  });
}

function isCustom({ scalars, enums, inputs, objects, postgres }: CustomTypesShape, name: string): boolean {
  return [scalars, enums, inputs, objects, postgres].some((record) => record && Object.hasOwn(record, name));
}

/** The JSON type of values of a type of PostgreSQL. */
export function nativeText(key: string): string {
  if (/^(int2|int4|float4)$/.test(key)) return 'number';
  if (/^(int8|float8|numeric|money)$/.test(key)) return 'number | string';
  if (key === 'bool') return 'boolean';
  return key === 'json' || key === 'jsonb' ? 'unknown' : 'string';
}

/** `name?: string | null;` */
function member(name: string, type: string): string {
  const node = parseType(type, { noLocation: true });
  const text = typeText(node);
  return `${name}${node.kind === Kind.NON_NULL_TYPE ? '' : '?'}: ${text};`;
}

/** The JSON types of built-in scalars; other types are declared in `types.ts`. */
const SCALARS: Readonly<Record<string, string>> = {
  Int: 'number',
  Float: 'number',
  String: 'string',
  Boolean: 'boolean',
  ID: 'string',
};

/** The JSON type of values of a GraphQL type. */
export function typeText(node: TypeNode, nullable = true): string {
  if (node.kind === Kind.NON_NULL_TYPE) return typeText(node.type, false);
  const text = node.kind === Kind.LIST_TYPE ? listText(node.type) : namedText(node.name.value);
  return nullable ? `${text} | null` : text;
}

function listText(item: TypeNode): string {
  const text = typeText(item);
  return text.includes(' ') ? `(${text})[]` : `${text}[]`;
}

function namedText(name: string): string {
  return Object.hasOwn(SCALARS, name) ? SCALARS[name]! : name;
}
