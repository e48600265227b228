/**
 * A program as a text: the schema of every role, and the SQL of a fixed set of operations per role. Two programs that
 * serve the same have the same description, however each came to be.
 */

import { printSchema } from 'graphql';
import type { JoinLevels } from '../../runtime/core/join/join.ts';
import { linkProgram } from '../../runtime/core/program/program.ts';
import type { GeneratedProgram } from '../../runtime/core/program/resolvers.ts';
import { createPlanner, type Planner } from '../../runtime/core/request/planner.ts';
import type { Step } from '../../runtime/core/request/steps.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import {
  type FieldDefinition,
  namedType,
  type ObjectType,
  type TypeReference,
} from '../../runtime/core/schema/types.ts';
import { CANONICAL } from '../../runtime/core/vocabulary.ts';
import { createEvaluator } from '../../runtime/program/evaluator.ts';
import { createTranspiler } from '../../runtime/program/loader.ts';

/** How much is described. */
export interface Detail {
  /** How deep relationships are followed: the rules of the tables that they lead to are part of the SQL. */
  readonly depth: number;
  /** Whether the schemas are printed. */
  readonly schemas: boolean;
}

const EVERYTHING: Detail = { depth: 2, schemas: true };

/** Describes what a planner serves. It plans with whatever it has kept. */
export function describeProgram(planner: Planner, detail = EVERYTHING): string {
  const { program } = planner;
  return ['admin', ...[...program.roles].sort(), 'nobody']
    .flatMap((role) => [`# ${role}`, ...describeRole(planner, role, detail)])
    .join('\n');
}

/** As describeProgram, for files that are loaded and linked anew, without anything from before. */
export async function describeFiles(files: ReadonlyMap<string, string>): Promise<string> {
  return describeGenerated(
    await createEvaluator().evaluate(await createTranspiler().transpile(files)),
    EVERYTHING,
  );
}

/** As describeProgram, for a program that is linked anew. */
export function describeGenerated(generated: GeneratedProgram, detail: Detail): string {
  const program = linkProgram(generated, { inferFunctionPermissions: true });
  return describeProgram(createPlanner(program, { stringifyNumbers: false, collapseNulls: false }), detail);
}

function describeRole(planner: Planner, role: string, { depth, schemas }: Detail): string[] {
  const roleSchema = planner.program.roleSchema(role, false);
  const session = { vocabulary: CANONICAL, role, backendOnly: false, variables: { 'x-engine-role': role } };
  const { query, mutation } = roleSchema.roots;
  const operations = [
    ...[...query.fields().values()].flatMap((field) => operationOf('query', field, depth)),
    ...[...(mutation?.fields().values() ?? [])].flatMap((field) => operationOf('mutation', field, depth)),
  ].sort();
  return [
    ...(schemas ? [printSchema(graphqlSchema(roleSchema))] : []),
    ...operations.map((text) => `${text}\n${statements(planner, session, text)}`),
  ];
}

/** An operation with one root field, if it can be asked without knowing values. */
function operationOf(kind: 'query' | 'mutation', field: FieldDefinition, depth: number): string[] {
  if (field.name.startsWith('__')) return [];
  const values: string[] = [];
  for (const argument of field.arguments.values()) {
    if (argument.type.kind !== 'nonNull') continue;
    if (argument.name === 'where') values.push('where: {}');
    else if (argument.name === 'objects') values.push('objects: [{}]');
    else return [];
  }
  const given = values.length > 0 ? `(${values.join(', ')})` : '';
  return [`${kind} { ${field.name}${given}${selectionOf(field.type, depth)} }`];
}

function selectionOf(type: TypeReference, depth: number): string {
  const named = namedType(type);
  if (named.kind !== 'object') return '';
  return ` { ${['__typename', ...fieldsOf(named, depth)].join(' ')} }`;
}

function fieldsOf(type: ObjectType, depth: number): string[] {
  return [...type.fields().values()].flatMap((field) => {
    if (field.name.startsWith('__')) return [];
    if ([...field.arguments.values()].some(({ type: { kind } }) => kind === 'nonNull')) return [];
    if (namedType(field.type).kind !== 'object') return [field.name];
    return depth > 0 ? [`${field.name}${selectionOf(field.type, depth - 1)}`] : [];
  });
}

type Session = Parameters<Planner['plan']>[0];

function statements(planner: Planner, session: Session, query: string): string {
  try {
    const { plan } = planner.plan(session, { query });
    if (plan.kind === 'query')
      return [...plan.steps.map(describeStep), ...(plan.joins ?? []).flat().map(describeJoin)].join('\n');
    return plan.fields
      .map((field) => {
        if (!('step' in field)) return describeStep(field);
        const made = field.step.kind === 'constant' ? [] : field.step.statements;
        return `${field.source}: ${made.map(({ statement }) => statement.text).join(' ')}`;
      })
      .join('\n');
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

function describeStep(step: Step): string {
  if (step.kind === 'sql') return `${step.source}: ${step.statement.text}`;
  return `${step.caller} ${step.group}: ${JSON.stringify(step.parts)}`;
}

function describeJoin(request: JoinLevels[number][number]): string {
  if (request.kind === 'sql') return `join ${request.source}: ${request.statement.text}`;
  return `join ${request.caller} ${request.group}: ${JSON.stringify(request.parts)}`;
}
