/** Computed fields: a function over a row of the table. */

import type { CatalogFunction } from '../../../runtime/catalog/catalog.ts';
import { typeKey } from '../../../runtime/catalog/type-shapes.ts';
import type { ComputedFieldShape, FunctionArgumentShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { displayName, isGraphqlName, keyOf, quotedName } from '../../../runtime/core/names.ts';
import { argumentScalar } from '../../../runtime/core/schema/function-arguments.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import type { ComputedFieldEntry, QualifiedName } from '../../../runtime/metadata/metadata.ts';
import { belowShape } from './below.ts';
import { requireFreeFieldName } from './field.ts';
import { fieldLosses, missingTable } from './losses.ts';
import { because, Failure, type ReportedObject, suggest } from './report.ts';
import type { SourceScope, TableScope } from './scope.ts';
import { claimsOf, type TypeRegister } from './type-register.ts';

/** Resolves a computed field. @throws Failure */
export function resolveComputedField(
  scope: SourceScope,
  table: TableScope,
  field: ComputedFieldEntry,
  types: TypeRegister,
): ComputedFieldShape {
  requireFreeFieldName(scope, table, field.name);
  const { function: name, table_argument, session_argument } = field.definition;
  const called = catalogFunction(scope, name);
  const reasons: string[] = [];
  if (!isGraphqlName(field.name)) reasons.push(`"${field.name}" is not valid GraphQL name`);
  if (called.volatility === 'volatile')
    reasons.push(
      `the function ${quotedName(called)} is of type VOLATILE; cannot be added as a computed field`,
    );
  if (called.arguments.some(({ variadic }) => variadic))
    reasons.push('functions with "VARIADIC" parameters are not supported');
  const returns = fieldReturns(scope, called, reasons);
  const tableArgument = findTableArgument(called, table, table_argument, reasons);
  const sessionArgument =
    session_argument === undefined ? undefined : findSessionArgument(called, session_argument, reasons);
  if (reasons.length > 0) {
    const problem = messages.computedFieldInvalid({
      field: field.name,
      table: quotedName(table.catalog),
      reasons: because(reasons),
    });
    const failure = new Failure(problem);
    // The one reason is that the table of the rows is not served.
    const isTable = called.returnsSet && scope.catalogTables.has(keyOf(called.returns));
    throw isTable && !returns && reasons.length === 1
      ? failure.missing(...missingTable(scope, called.returns))
      : failure;
  }
  const description = field.comment ?? called.comment;
  const owner = `computed field "${field.name}" of table ${quotedName(table.catalog)}`;
  if ('type' in returns!) types.claimColumnType(owner, scope.shape, returns.type);
  const { graphqlName, customName } = table;
  claimArguments(
    types,
    owner,
    scope,
    { arguments: argumentShapes(called) },
    {
      hidden: new Set([tableArgument, sessionArgument]),
      type: typeNames({ source: scope.shape, graphqlName, ...(customName && { customName: true }) }).argsOf(
        field.name,
      ),
    },
  );
  return {
    function: { schema: called.schema, name: called.name },
    tableArgument,
    ...(sessionArgument !== undefined && { sessionArgument }),
    arguments: argumentShapes(called),
    returns: returns!,
    ...(called.definition !== undefined && { bodyHash: called.definition }),
    ...(called.below && { below: belowShape(scope, called.below) }),
    ...(called.definer && { definer: true }),
    ...(description !== undefined && { description }),
  };
}

/** The only function with a name. @throws Failure if there is no such function, or more than one */
export function catalogFunction(scope: SourceScope, name: QualifiedName): CatalogFunction {
  const [first, ...overloads] = scope.catalogFunctions.get(keyOf(name)) ?? [];
  if (!first) {
    const names = scope.catalog.functions.map((each) => displayName(each.schema, each.name));
    throw new Failure(
      messages.functionNotInDatabase({
        name: quotedName(name),
        ...suggest(displayName(name.schema, name.name), names),
      }),
    );
  }
  if (overloads.length > 0) throw new Failure(messages.functionOverloaded({ name: quotedName(name) }));
  return first;
}

/** Claims the types of the arguments that clients give, and the type that holds them. @throws Failure */
export function claimArguments(
  types: TypeRegister,
  owner: string,
  { shape }: SourceScope,
  called: { readonly arguments: readonly FunctionArgumentShape[] },
  { hidden, type }: { readonly hidden: ReadonlySet<number | undefined>; readonly type: string },
): void {
  const given = called.arguments.filter((_, position) => !hidden.has(position));
  if (given.length === 0) return;
  for (const { name } of given)
    if (name !== null && !isGraphqlName(name)) throw new Failure(messages.nameNotGraphql({ name }));
  types.claim(owner, [{ name: type }]);
  for (const argument of given) types.claim(owner, claimsOf([argumentScalar(shape, argument.type)]));
}

export function argumentShapes(called: CatalogFunction): FunctionArgumentShape[] {
  return called.arguments.map((argument) => ({
    name: argument.name,
    type: typeKey(argument.type),
    ...(argument.hasDefault && { hasDefault: true }),
  }));
}

function fieldReturns(
  scope: SourceScope,
  called: CatalogFunction,
  reasons: string[],
): ComputedFieldShape['returns'] | undefined {
  const { returns } = called;
  const table = returns.array ? undefined : scope.catalogTables.get(keyOf(returns));
  if (called.returnsSet && table) {
    if (scope.tables.has(keyOf(returns))) return { table: keyOf(returns), set: true };
    reasons.push(
      `the function ${quotedName(called)} returning set of table ${quotedName(returns)} is not tracked or not found in database`,
    );
    return undefined;
  }
  const type = scope.catalog.types.find(
    ({ schema, name }) => schema === returns.schema && name === returns.name,
  );
  const composite = !returns.array && (table || type?.kind === 'composite' || type?.kind === 'pseudo');
  const nothing = returns.schema === 'pg_catalog' && ['void', 'record', 'trigger'].includes(returns.name);
  if (called.returnsSet || composite || nothing) {
    reasons.push(`the function ${quotedName(called)} returning type ${returns.name} is not a BASE type`);
    return undefined;
  }
  return { type: typeKey(returns) };
}

function findTableArgument(
  called: CatalogFunction,
  table: TableScope,
  name: string | undefined,
  reasons: string[],
): number {
  if (called.arguments.length === 0) {
    reasons.push(`the function ${quotedName(called)} has no input arguments`);
    return 0;
  }
  const position = name === undefined ? 0 : called.arguments.findIndex((argument) => argument.name === name);
  const argument = called.arguments[position];
  if (!argument) {
    reasons.push(`"${name}" is not an input argument of the function ${quotedName(called)}`);
    return 0;
  }
  const { type } = argument;
  if (!type.array && keyOf(type) === table.key) return position;
  const subject =
    name === undefined
      ? `first argument of the function ${quotedName(called)}`
      : `"${name}" argument of the function ${quotedName(called)}`;
  if (type.schema === 'pg_catalog') reasons.push(`${subject} is not COMPOSITE type`);
  reasons.push(
    `${subject} of type "${type.schema}.${type.name}" is not the table to which the computed field is being added`,
  );
  return position;
}

function findSessionArgument(called: CatalogFunction, name: string, reasons: string[]): number {
  const position = called.arguments.findIndex((argument) => argument.name === name);
  const argument = called.arguments[position];
  if (!argument) reasons.push(`"${name}" is not an input argument of the function ${quotedName(called)}`);
  else if (!['json', 'jsonb'].includes(typeKey(argument.type)))
    reasons.push(`"${name}" argument of the function ${quotedName(called)} is not of type JSON`);
  return position;
}

/** The computed field as inconsistencies list it. */
export function computedFieldObject(
  scope: SourceScope,
  table: TableScope,
  field: ComputedFieldEntry,
): ReportedObject {
  const { schema, name } = table.entry.table;
  const { function: called, table_argument, session_argument } = field.definition;
  return {
    path: field.path,
    type: 'computed_field',
    name: `computed_field ${field.name} in table ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: {
      source: scope.source.name,
      table: { schema, name },
      name: field.name,
      definition: {
        function: { schema: called.schema, name: called.name },
        ...(table_argument !== undefined && { table_argument }),
        ...(session_argument !== undefined && { session_argument }),
      },
      comment: field.comment ?? null,
    },
    context: `in table ${quotedName(table.entry.table)}: in computed field "${field.name}": `,
    offers: () => fieldLosses(scope, table, field.name),
  };
}
