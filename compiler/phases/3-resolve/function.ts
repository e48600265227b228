/** Tracked functions: they return rows of a tracked table. */

import type { CatalogFunction } from '../../../runtime/catalog/catalog.ts';
import { typeKey } from '../../../runtime/catalog/type-shapes.ts';
import type { FunctionShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import {
  defaultBaseName,
  displayName,
  isGraphqlName,
  keyOf,
  kindName,
  quotedName,
} from '../../../runtime/core/names.ts';
import { typeNames } from '../../../runtime/core/schema/type-names.ts';
import type { ModelFunction } from '../../model/model.ts';
import { belowShape } from './below.ts';
import { argumentShapes, catalogFunction, claimArguments } from './computed-field.ts';
import { nativeArgumentShapes, requireTyped } from './declared.ts';
import { functionLosses } from './losses.ts';
import { servedTable } from './relationship.ts';
import { because, Failure, type ReportedObject } from './report.ts';
import { namedFunctionFields } from './root-field.ts';
import type { SourceScope, StructureFunction } from './scope.ts';
import type { TypeRegister } from './type-register.ts';

/** Resolves a tracked function. @throws Failure */
export function resolveFunction(
  scope: SourceScope,
  entry: StructureFunction,
  types: TypeRegister,
): Omit<ModelFunction, 'roles'> {
  const { declared } = entry;
  if (declared) {
    const [known] = scope.catalogFunctions.get(keyOf(entry.function)) ?? [];
    requireTyped(scope, 'native query', entry.function.name, declared.hash, known?.definition, [
      ...entry.path,
      'code',
    ]);
  }
  const called = catalogFunction(scope, entry.function);
  const { configuration } = entry;
  const graphqlName = configuration.custom_name ?? defaultBaseName(called.schema, called.name);
  const reasons: string[] = [];
  const kind = kindName('function', called.schema);
  if (!isGraphqlName(graphqlName)) reasons.push(`${kind} name is not a legal GraphQL identifier`);
  if (called.arguments.some(({ variadic }) => variadic))
    reasons.push('function with "VARIADIC" parameters are not supported');
  reasons.push(...returnReasons(scope, called));
  const volatile = called.volatility === 'volatile';
  const exposedAs = configuration.exposed_as ?? (volatile ? 'mutation' : 'query');
  if (exposedAs === 'mutation' && !volatile) {
    reasons.push(
      'the function was requested to be exposed as a mutation, but is not marked VOLATILE. ' +
        'Maybe the function was given the wrong volatility when it was defined?',
    );
  }
  const sessionArgument = findSessionArgument(called, configuration.session_argument, reasons);
  const illegal = called.arguments.flatMap(({ name }) =>
    name !== null && !isGraphqlName(name) ? [name] : [],
  );
  if (illegal.length > 0)
    reasons.push(`the ${kind} arguments ${illegal.join(',')} are not in compliance with GraphQL spec`);
  if (reasons.length > 0)
    throw new Failure(
      declared
        ? messages.declaredObjectRefused({ kind, name: called.name, reason: reasons.join('; ') })
        : messages.functionUntrackable({ name: quotedName(called), reasons: because(reasons) }),
    );
  const table = servedTable(scope, called.returns);
  const description = entry.comment ?? called.comment;
  const shape: FunctionShape = {
    source: scope.shape,
    schema: called.schema,
    name: called.name,
    graphqlName,
    ...(configuration.custom_name !== undefined && { customName: true }),
    ...(volatile && { volatile: true }),
    arguments: declared ? nativeArgumentShapes(called, declared) : argumentShapes(called),
    ...(declared && { sql: declared.query.code }),
    ...(called.writes && { writes: called.writes }),
    ...(sessionArgument !== undefined && { sessionArgument }),
    returns: { table: table.key, set: called.returnsSet === true },
    ...(called.definition !== undefined && { bodyHash: called.definition }),
    ...(called.below && { below: belowShape(scope, called.below) }),
    ...(called.definer && { definer: true }),
    ...(description !== undefined && { description }),
  };
  claimArguments(types, `${kind} ${quotedName(called)}`, scope, shape, {
    hidden: new Set([sessionArgument]),
    type: typeNames(shape).args,
  });
  return {
    shape,
    exposedAs,
    rootFields: namedFunctionFields(scope.source, entry, scope.shape.naming).filter(
      ({ kind }) => exposedAs === 'query' || kind === 'function',
    ),
  };
}

function returnReasons(scope: SourceScope, called: CatalogFunction): string[] {
  if (!called.returns.array && scope.catalogTables.has(keyOf(called.returns))) return [];
  const type = scope.catalog.types.find(
    ({ schema, name }) => schema === called.returns.schema && name === called.returns.name,
  );
  return type?.kind === 'composite'
    ? ['the function does not return a table']
    : ['the function does not return a "COMPOSITE" type', 'the function does not return a table'];
}

function findSessionArgument(
  called: CatalogFunction,
  name: string | undefined,
  reasons: string[],
): number | undefined {
  if (name === undefined) return undefined;
  const position = called.arguments.findIndex((argument) => argument.name === name);
  const argument = called.arguments[position];
  if (!argument) reasons.push(`given session argument "${name}" not the input argument of the function`);
  else if (typeKey(argument.type) !== 'json')
    reasons.push(`given session argument "${name}" is not of type json`);
  return position;
}

/** The function as inconsistencies list it. */
export function reportedFunction(scope: SourceScope, entry: StructureFunction): ReportedObject {
  const { schema, name } = entry.function;
  if (entry.declared)
    return {
      path: entry.path,
      type: 'native_query',
      name: `native_query ${name} in source ${scope.source.name}`,
      definition: { source: scope.source.name, root_field_name: name },
      // The reason names the query itself.
      context: '',
      offers: () => functionLosses(scope.source, entry, scope.shape.naming),
    };
  return {
    path: entry.path,
    type: 'function',
    name: `function ${displayName(schema, name)} in source ${scope.source.name}`,
    definition: { schema, name },
    context: `in function ${quotedName(entry.function)}: `,
    offers: () => functionLosses(scope.source, entry, scope.shape.naming),
  };
}
