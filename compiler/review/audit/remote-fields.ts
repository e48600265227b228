/** The fields of remote schemas that roles may use, and the root fields and relationships that lead to each. */

import { type FieldDefinitionNode, Kind, print as printAst } from 'graphql';
import { CLOSING_OPTION, roleFactText } from '../../../runtime/core/program/facts.ts';
import type { Table } from '../../../runtime/core/program/program.ts';
import { baseName, type RemoteDocument, readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import { remoteFactTexts } from '../../../runtime/core/remotes/facts.ts';
import { presetOf } from '../../../runtime/core/remotes/preset.ts';
import type { RemoteRelationshipShape, RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import type { GeneratedCode } from '../generated-code/index.ts';

/** A remote schema as one role has it. */
export interface RemoteGrant {
  readonly remoteSchema: string;
  /** Fields, arguments, input fields, and presets with their values, as far as permissions say; none: it has no permission. */
  readonly facts: readonly string[];
}

export function remoteGrants({ program }: GeneratedCode, role: string): RemoteGrant[] {
  return program.remotes.map(({ name, roles }) => ({
    remoteSchema: name,
    facts: Object.hasOwn(roles, role) ? remoteFactTexts(roles[role]!) : [],
  }));
}

/** The roles that can ask for a field of a remote schema. */
export interface WhoRemote {
  readonly label: string;
  readonly remoteSchema: string;
  readonly type: string;
  readonly field: string;
  readonly roles: readonly RemoteReach[];
}

interface RemoteReach {
  readonly role: string;
  /** Root fields and relationships from which the type can be reached, with their presets. */
  readonly from: readonly string[];
}

/** A field by `REMOTE.TYPE.FIELD`; undefined where no remote schema has that name. */
export function findRemoteField(
  { program }: GeneratedCode,
  name: string,
): { readonly remote: RemoteSchemaShape; readonly type: string; readonly field: string } | undefined {
  for (const remote of program.remotes) {
    if (!name.startsWith(`${remote.name}.`)) continue;
    const [type = '', field = '', ...rest] = name.slice(remote.name.length + 1).split('.');
    if (rest.length === 0 && fieldsOf(readRemoteDocument(remote.schema), type).has(field))
      return { remote, type, field };
  }
  return undefined;
}

export function whoCanAsk(
  { label, roles, program }: GeneratedCode,
  { remote, type, field }: NonNullable<ReturnType<typeof findRemoteField>>,
): WhoRemote {
  const reaches = roles.flatMap((role): RemoteReach[] => {
    if (!Object.hasOwn(remote.roles, role)) return [];
    const document = readRemoteDocument(remote.roles[role]!);
    if (!fieldsOf(document, type).has(field)) return [];
    return [
      { role, from: [...rootPaths(document, type), ...joinPaths(program.tables, remote, document, type)] },
    ];
  });
  return { label, remoteSchema: remote.name, type, field, roles: reaches };
}

/** `engine audit who` for a field of a remote schema. */
export function whoRemoteText({ label, remoteSchema, type, field, roles }: WhoRemote): string {
  const lines = [`remote schema ${remoteSchema} · ${type}.${field}   (${label})`, ''];
  lines.push(`Every role can ask for it, unless the server has ${CLOSING_OPTION}. With it:`, '');
  if (roles.length === 0) lines.push('No role but admin can ask for it.', '');
  for (const { role, from } of roles) {
    const places = from.length > 0 ? from : ['no root field or relationship leads there'];
    lines.push(role, ...places.map((place) => `  ${place}`), '');
  }
  lines.push('The role admin may do everything.');
  return `${lines.join('\n')}\n`;
}

/** Lines of `engine audit role`. */
export function remoteGrantLines(grants: readonly RemoteGrant[]): string[] {
  return grants.flatMap(({ remoteSchema, facts }) => [
    `Remote schema ${remoteSchema}`,
    `  ${roleFactText({ fact: 'open remote schema' })}${facts.length > 0 ? '; with it:' : ''}`,
    ...facts.map((fact) => `  ${fact}`),
    '',
  ]);
}

type Fields = ReadonlyMap<string, FieldDefinitionNode>;

function fieldsOf({ types }: RemoteDocument, name: string): Fields {
  const type = types.get(name);
  const isObject =
    type?.kind === Kind.OBJECT_TYPE_DEFINITION || type?.kind === Kind.INTERFACE_TYPE_DEFINITION;
  return new Map((isObject ? (type.fields ?? []) : []).map((field) => [field.name.value, field]));
}

/** Root fields from which the type can be reached: `query user (preset id = …)`. */
function rootPaths(document: RemoteDocument, target: string): string[] {
  return Object.entries(document.roots).flatMap(([root, type]) =>
    [...fieldsOf(document, type).values()]
      .filter((each) => type === target || leadsTo(document, baseName(each.type), target))
      .map((each) => `${root} ${each.name.value}${presetText(each)}`),
  );
}

function presetText({ arguments: args = [] }: FieldDefinitionNode): string {
  const presets = args.flatMap((argument) => {
    const value = presetOf(argument)?.arguments?.find(({ name }) => name.value === 'value')?.value;
    return value ? [`${argument.name.value} = ${printAst(value)}`] : [];
  });
  return presets.length > 0 ? ` (preset ${presets.join(', ')})` : '';
}

/** Relationships of tables and of types whose result leads to the type. The role has them if it can read the joining fields. */
function joinPaths(
  tables: readonly Table[],
  remote: RemoteSchemaShape,
  document: RemoteDocument,
  target: string,
): string[] {
  const leads = (shape: RemoteRelationshipShape) => {
    if (shape.to !== 'remote' || shape.remote !== remote.name) return false;
    let type = document.roots.query;
    for (const { field } of shape.path) {
      const found = type === undefined ? undefined : fieldsOf(document, type).get(field);
      type = found && baseName(found.type);
    }
    return type !== undefined && leadsTo(document, type, target);
  };
  const named = (owner: string, shapes: Readonly<Record<string, RemoteRelationshipShape>> = {}) =>
    Object.entries(shapes).flatMap(([name, shape]) =>
      leads(shape) ? [`relationship ${owner}.${name}`] : [],
    );
  return [
    ...tables.flatMap(({ key, shape }) => named(key, shape.remoteRelationships)),
    ...Object.entries(remote.relationships ?? {}).flatMap(([type, shapes]) => named(type, shapes)),
  ];
}

function leadsTo(document: RemoteDocument, from: string, target: string): boolean {
  const seen = new Set<string>();
  const queue = [from];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (name === target) return true;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const field of fieldsOf(document, name).values()) queue.push(baseName(field.type));
    queue.push(...(document.possible.get(name) ?? []), ...(document.abstract.get(name) ?? []));
  }
  return false;
}
