/** What is behind the cells of one line of the access matrix, read from the program that is served. */
import { handlerHost } from '../core/action/host.ts';
import { sessionVariablesIn } from '../core/condition/reads.ts';
import { OPERATIONS, textPartsOf } from '../core/contract/aspects.ts';
import { roleFactText } from '../core/program/facts.ts';
import type { Program, Table } from '../core/program/program.ts';
import { operationOf } from '../core/schema/offer.ts';
import { offeredRoots } from '../core/schema/offered-roots.ts';
import { type ServedBesideTables, servedBesideTables } from '../core/schema/services.ts';
import { rulesOf } from '../core/schema/visible-table.ts';
import { rolesOf } from './matrix.ts';
import { permissionInWords, relationWords } from './permission.ts';
import type { AccessDetail, AccessObject, AccessPermission } from './questions.ts';

/** Facts of schemas, in their order. See remoteFactTexts. */
type FactsOf = (schemas: readonly string[]) => Promise<readonly (readonly string[])[]>;

/**
 * Undefined for an object that is not served.
 * @param factsOf reads schemas elsewhere: thousands of types take a second
 */
export async function accessDetail(
  program: Program,
  object: AccessObject,
  factsOf: FactsOf,
): Promise<AccessDetail | undefined> {
  const { kind, source, name } = object;
  if (kind === 'table') return tableDetail(program, object);
  const served = servedBesideTables(program).find(
    (each) => each.kind === kind && each.source === source && each.name === name,
  );
  if (!served) return undefined;
  const effects = served.effects().map(roleFactText);
  const about = {
    ...object,
    note: noteOf(served, program),
    ...(effects.length > 0 && { effects }),
  };
  if (served.kind !== 'remote schema') return { ...about, roles: perRole(program, served.useOf) };
  if (!program.options.remoteSchemaPermissions) {
    const [everyRole = []] = await factsOf([served.remote.schema]);
    return { ...about, everyRole };
  }
  const parts = perRole(program, served.useOf);
  const schemas = [...new Set(Object.values(parts))];
  const found = await factsOf(schemas);
  const facts = new Map(schemas.map((schema, index) => [schema, found[index]!]));
  const roles = Object.entries(parts).map(([role, schema]) => [role, facts.get(schema)!] as const);
  return { ...about, roles: Object.fromEntries(roles) };
}

function tableDetail(program: Program, object: AccessObject): AccessDetail | undefined {
  const table = program.tables.find(
    ({ key, shape }) => key === object.name && shape.source.name === object.source,
  );
  if (!table) return undefined;
  const { kind, columns, computedFields = {} } = table.shape;
  return {
    ...object,
    note: `${relationWords(kind)} of ${object.source}`,
    columns: [...Object.keys(columns), ...Object.keys(computedFields)],
    permissions: rolesOf(program).flatMap((role) => permissionsOf(table, role, program)),
  };
}

/** The kind and the main properties of an object, in words. */
function noteOf(served: ServedBesideTables, { options }: Program): string {
  switch (served.kind) {
    case 'function': {
      const { shape, returns } = served.called;
      const changes = shape.volatile ? ', may change data' : '';
      return `function of ${served.source}, returns rows of ${returns.key}${changes}; their row rules apply`;
    }
    case 'action': {
      const { kind, type } = served.action;
      return `${kind} ${type}, answered by ${handlerHost(served.action)}`;
    }
    case 'remote schema':
      return options.remoteSchemaPermissions
        ? 'remote schema: fields, arguments and presets of each role'
        : 'remote schema, whole for every role: the server has no permissions for remote schemas enabled';
  }
}

/** Without roles that may do nothing. */
function perRole<Use>(program: Program, useOf: (role: string) => Use | undefined): Record<string, Use> {
  return Object.fromEntries(
    rolesOf(program).flatMap((role) => {
      const use = useOf(role);
      return use === undefined ? [] : [[role, use] as const];
    }),
  );
}

function permissionsOf(table: Table, role: string, program: Program): AccessPermission[] {
  const { access, options, vocabulary } = program;
  const rules = rulesOf(access(table), role);
  const offered = offeredRoots(table, rules, options);
  // Those that return rows need no permission but that for the rows.
  const rows = [...table.computedFields.values()].flatMap(({ name, returns }) =>
    'table' in returns && rulesOf(access(returns.table), role).select ? [name] : [],
  );
  return OPERATIONS.flatMap((operation) => {
    const rule =
      operation === 'select' && rules.select
        ? { ...rules.select, computedFields: [...(rules.select.computedFields ?? []), ...rows] }
        : rules[operation];
    const fields = offered.filter(({ kind }) => operationOf(kind) === operation).map(({ name }) => name);
    return rule
      ? [permissionInWords(rule, { role, operation, fields: [...new Set(fields)] }, vocabulary)]
      : [];
  });
}

/** Session variables that the rules of a role compare with, as headers by the vocabulary's word. */
export function sessionVariables({ tables, access, vocabulary }: Program, role: string): string[] {
  const texts = tables.flatMap((table) =>
    Object.values(rulesOf(access(table), role)).flatMap((rule) => textPartsOf(rule).map(({ text }) => text)),
  );
  return sessionVariablesIn(texts)
    .map((name) => vocabulary.fromCanonical(name))
    .sort();
}
