/** Answers the console's questions about permissions from the generated code that is served. */

import type {
  AccessAnswer,
  AccessPermission,
  AccessRow,
  PermissionQuestion,
  WhoAnswer,
} from '../../runtime/console/questions.ts';
import { ruleLayout, ruleWords } from '../../runtime/core/condition/words.ts';
import type { Table } from '../../runtime/core/program.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import type { Files } from '../phases/5-emit/index.ts';
import { actionsByHost } from './audit/actions.ts';
import { auditMatrix, type Permission } from './audit/matrix.ts';
import { remoteGrants } from './audit/remote-fields.ts';
import { isOpen } from './audit/render.ts';
import { whoCan } from './audit/who.ts';
import { operationOf, operationsOf } from './console-operations.ts';
import { type GeneratedCode, readTexts } from './generated-code/index.ts';

/** The last request's files, read: reading takes seconds where there are thousands of permissions. */
let last: { readonly files: Files; readonly code: GeneratedCode; access?: string } | undefined;

/**
 * Answers with JSON: an `AccessAnswer`, the `WhoAnswer` of a column, an `OperationsAnswer` or an `OperationAnswer`. `null` for what is not
 * served.
 * @param files generated code
 */
export function answerConsole(files: Files, question: PermissionQuestion): string {
  if (last?.files !== files)
    last = { files, code: readTexts({ label: 'the served program', folder: 'generated', files }) };
  if (question.kind === 'access') {
    last.access ??= JSON.stringify(accessOf(last.code));
    return last.access;
  }
  if (question.kind === 'operations') return JSON.stringify(operationsOf(last.code));
  if (question.kind === 'operation')
    return JSON.stringify(operationOf(last.code, question.collection, question.name) ?? null);
  const { source, table: key, column } = question;
  const table = last.code.program.tables.find((each) => each.source.name === source && each.key === key);
  if (!table || !Object.hasOwn(table.shape.columns, column)) return 'null';
  return JSON.stringify(whoOf(last.code, table, column));
}

function whoOf(code: GeneratedCode, table: Table, column: string): WhoAnswer {
  const found = whoCan(code, table, column);
  const paths = found.paths.map((path) => ({
    ...path,
    rules: path.rules.map((rule) => ({ ...rule, words: ruleLayout(rule.text) })),
  }));
  return { ...found, paths };
}

function accessOf(code: GeneratedCode): AccessAnswer {
  const matrix = auditMatrix(code);
  const lists = new Lists();
  return {
    roles: matrix.roles,
    tables: matrix.tables,
    permissions: matrix.permissions.map((permission) => packed(permission, lists)),
    rows: [...functionRows(matrix.functions), ...actionRows(code), ...remoteRows(code, matrix.roles)],
    lists: lists.all,
    foreign: matrix.foreign.map(({ file, line }) => `${file}:${line}`),
  };
}

/** Lists of names, each once: roles mostly see the same columns. */
class Lists {
  readonly all: (readonly string[])[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(list: readonly string[]): number {
    const key = JSON.stringify(list);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.all.length);
    return this.all.push(list) - 1;
  }
}

function packed(permission: Permission, lists: Lists): AccessPermission {
  const { role, source, table, operation, columns, computedFields, where, check, place } = permission;
  const { presets, cells, limit, aggregations, backendOnly, validateInput, fields } = permission;
  return {
    role,
    source,
    table,
    operation,
    isOpen: isOpen(permission),
    fields: lists.numberOf(fields),
    ...(columns && { columns: lists.numberOf(columns) }),
    ...(computedFields?.length && { computedFields: lists.numberOf(computedFields) }),
    ...(where !== undefined && { where, whereWords: ruleLayout(where) }),
    ...(check !== undefined && { check, checkWords: ruleLayout(check) }),
    ...(presets && { presets: inWords(presets) }),
    ...(cells && { cells: inWords(cells) }),
    ...(limit !== undefined && { limit }),
    ...(aggregations && { aggregations }),
    ...(backendOnly && { backendOnly }),
    ...(validateInput && { validatedBy: validateInput.url }),
    ...(place && { place: `${place.file}:${place.line}` }),
  };
}

function inWords(rules: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(rules).map(([name, text]) => [name, ruleWords(text)]));
}

function functionRows(functions: ReturnType<typeof auditMatrix>['functions']): AccessRow[] {
  return functions.map(({ name, source, fields, returns, changesData }) => ({
    kind: 'function',
    name,
    source,
    note: `returns rows of ${returns}${changesData ? ', changes data' : ''}; their row rules apply`,
    roles: fields,
  }));
}

function actionRows(code: GeneratedCode): AccessRow[] {
  return actionsByHost(code).flatMap(({ host, actions }) =>
    actions.map(({ name, type, kind, roles, location }) => ({
      kind: 'action' as const,
      name,
      note: `${kind} ${type}, answered by ${host}`,
      roles: Object.fromEntries(roles.filter((role) => role !== ADMIN_ROLE).map((role) => [role, [name]])),
      ...(location && { place: `${location.file}:${location.line}` }),
    })),
  );
}

function remoteRows(code: GeneratedCode, roles: readonly string[]): AccessRow[] {
  const granted = roles.map((role) => [role, remoteGrants(code, role)] as const);
  return code.program.remotes.map(({ name }) => ({
    kind: 'remote schema',
    name,
    note: 'fields, arguments and presets of each role',
    roles: Object.fromEntries(
      granted.flatMap(([role, grants]) => {
        const facts = grants.find(({ remoteSchema }) => remoteSchema === name)?.facts;
        return facts ? [[role, facts]] : [];
      }),
    ),
  }));
}
