/** Relationships that another step looks up, and that lead a role to the rows of a table: of tables, answers of actions and remote schemas. */
import type { ActionsProgram } from '../../../runtime/core/action/shapes.ts';
import { CLOSING_OPTION } from '../../../runtime/core/program/facts.ts';
import type { Program, Table } from '../../../runtime/core/program/program.ts';
import { remember } from '../../../runtime/core/remember.ts';
import { readRemoteDocument } from '../../../runtime/core/remotes/document.ts';
import type { RemoteRelationshipShape } from '../../../runtime/core/remotes/shapes.ts';
import type { PathScope } from './path.ts';

interface Join {
  readonly fields: readonly string[];
  readonly note: string;
  /** The table that it begins with, whose rule applies, too. */
  readonly from?: Table;
}

/** @param table one that the role may select from */
export function joinsTo(scope: PathScope, table: Table): Join[] {
  return [...fromTables(scope, table), ...fromActions(scope, table), ...fromRemotes(scope, table)];
}

function leadsTo(shape: RemoteRelationshipShape, table: Table): boolean {
  return shape.to === 'source' && shape.source === table.source.name && shape.target === table.key;
}

/** Memo: a program never changes. */
const known = new WeakMap<Program, ReadonlyMap<string, ReadonlyMap<Table, readonly string[]>>>();

/** By the table that it leads to: few tables have such relationships, of thousands. */
function joinsByTarget(program: Program) {
  return remember(known, program, () => {
    const found = new Map<string, Map<Table, string[]>>();
    for (const from of program.tables)
      for (const [name, shape] of Object.entries(from.shape.remoteRelationships ?? {})) {
        if (shape.to !== 'source') continue;
        const target = remember(found, idOf(shape.source, shape.target), () => new Map<Table, string[]>());
        remember(target, from, (): string[] => []).push(name);
      }
    return found;
  });
}

function idOf(source: string, key: string): string {
  return JSON.stringify([source, key]);
}

function fromTables({ program, roleSchema }: PathScope, table: Table): Join[] {
  const leading = joinsByTarget(program).get(idOf(table.source.name, table.key)) ?? [];
  return [...leading].flatMap(([from, names]): Join[] => {
    if (!roleSchema.table(from).select) return [];
    const offered = roleSchema.types(from).object().fields();
    const fields = names
      .filter((name) => offered.has(name))
      .map((name) => `${from.shape.graphqlName}.${name}`);
    return fields.length === 0 ? [] : [{ fields, from, note: `joined from source ${from.source.name}` }];
  });
}

function fromActions({ program: { actions }, role }: PathScope, table: Table): Join[] {
  if (!actions) return [];
  const allowed = actions.actions.filter(({ roles }) => roles.includes(role));
  return Object.entries(actions.types.objects ?? {}).flatMap(([type, { relationships = {} }]): Join[] => {
    const fields = Object.entries(relationships).flatMap(([name, shape]) =>
      shape.source === table.source.name && shape.table === table.key ? [`${type}.${name}`] : [],
    );
    const leading = fields.length === 0 ? [] : allowed.filter(({ output }) => reaches(actions, output, type));
    if (leading.length === 0) return [];
    return [{ fields, note: `in answers of ${leading.map(({ name }) => name).join(', ')}` }];
  });
}

/** Whether a value of one type may hold one of another. */
function reaches({ types }: ActionsProgram, from: string, to: string): boolean {
  const seen = new Set([nameOf(from)]);
  // A set that grows while it is walked: what is added is walked as well.
  for (const name of seen)
    for (const { type } of Object.values(types.objects?.[name]?.fields ?? {})) seen.add(nameOf(type));
  return seen.has(to);
}

/** `[Greeting!]!` → `Greeting`. */
function nameOf(type: string): string {
  return type.replace(/[[\]!]/g, '');
}

/** Without remote schema permissions every role has the whole remote schema. */
function fromRemotes({ program, role }: PathScope, table: Table): Join[] {
  return program.remotes.flatMap(({ name: remote, schema, roles, relationships = {} }): Join[] => {
    const offered = (sdl: string): string[] => {
      const { types } = readRemoteDocument(sdl);
      return Object.entries(relationships).flatMap(([type, shapes]) => {
        const definition = types.get(type);
        const own = definition && 'fields' in definition ? (definition.fields ?? []) : [];
        const known = new Set(own.map(({ name }) => name.value));
        return Object.entries(shapes).flatMap(([name, shape]) =>
          leadsTo(shape, table) && keysOf(shape).every((key) => known.has(key)) ? [`${type}.${name}`] : [],
        );
      });
    };
    const permitted = Object.hasOwn(roles, role) ? offered(roles[role]!) : [];
    const open = offered(schema).filter((field) => !permitted.includes(field));
    const note = `of the remote schema ${remote}`;
    return [
      ...(permitted.length > 0 ? [{ fields: permitted, note }] : []),
      ...(open.length > 0
        ? [{ fields: open, note: `${note}, unless the server has ${CLOSING_OPTION}` }]
        : []),
    ];
  });
}

/** Fields that a relationship needs. */
function keysOf(shape: RemoteRelationshipShape): readonly string[] {
  return shape.to === 'source' ? Object.keys(shape.columns) : shape.keys;
}
