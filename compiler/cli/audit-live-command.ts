/** `engine audit live`: which writes a subscription is read again after, from generated code alone. */

import { existsSync, readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import { readConfiguration, servingOptions } from '../../runtime/configuration/configuration.ts';
import { EngineError } from '../../runtime/core/errors.ts';
import { parseGraphql } from '../../runtime/core/graphql-text.ts';
import { graphqlProblem } from '../../runtime/core/reasons.ts';
import { chooseOperation, type Operation, parseDocument } from '../../runtime/core/request/document.ts';
import { ADMIN_ROLE } from '../../runtime/core/session.ts';
import { planForRole, wakesForRole } from '../phases/4-plan/saved-statements.ts';
import { type GeneratedCode, readGeneratedCode } from '../review/generated-code/index.ts';
import { type CommandContext, UsageError } from './command.ts';

export interface AuditLiveOptions {
  /** Folder of generated code, or a revision of git. */
  readonly generated: string;
  readonly role?: string;
  readonly format: 'text' | 'json';
}

/** Returns the exit status. @throws GeneratedCodeError, UsageError */
export function auditLiveCommand(name: string, options: AuditLiveOptions, context: CommandContext): number {
  const code = readGeneratedCode(options.generated);
  const operation = findOperation(name, code);
  const planning = code.generated.saved?.options ?? servingOptions(readConfiguration({}, {}));
  const roles = options.role === undefined ? [ADMIN_ROLE, ...code.roles] : [options.role];
  const found = roles.flatMap((role) => {
    const roleSchema = code.program.roleSchema(role, false);
    const wakes = wakesForRole(roleSchema, operation, planning);
    const plans = wakes && planForRole(roleSchema, operation, planning);
    return wakes
      ? [{ role, wakes, ...(typeof plans === 'string' && { planned_for_each_request: plans }) }]
      : [];
  });
  context.stdout(options.format === 'json' ? `${JSON.stringify(found, null, 2)}\n` : textOf(found));
  return 0;
}

function findOperation(name: string, { generated }: GeneratedCode): Operation {
  const operations = generated.saved?.operations ?? [];
  const saved = operations.find((each) => each.name === name || `${each.collection}.${each.name}` === name);
  if (!saved && !existsSync(name))
    throw new UsageError(`"${name}" is neither a saved operation nor a file with a subscription.`);
  const operation = saved ? chooseOperation(parseDocument(saved.document), undefined) : readOperation(name);
  if (operation.kind !== 'subscription')
    throw new UsageError(`"${name}" is a ${operation.kind}, no subscription.`);
  return operation;
}

/** Roles that read the same are listed together. */
function textOf(found: readonly { readonly role: string; readonly wakes: readonly string[] }[]): string {
  if (found.length === 0) return 'No role may run it.\n';
  const groups = new Map<string, string[]>();
  for (const { role, wakes } of found) {
    const lines = wakes.map((line) => `  ${line}\n`).join('');
    groups.set(lines, [...(groups.get(lines) ?? []), role]);
  }
  return [...groups].map(([lines, roles]) => `${roles.join(', ')}\n${lines}`).join('\n');
}

function readOperation(file: string): Operation {
  try {
    return chooseOperation(parseGraphql(readFileSync(file, 'utf8')), undefined);
  } catch (error) {
    if (error instanceof GraphQLError)
      throw new UsageError(`${file} is not GraphQL: ${graphqlProblem(error)}.`);
    if (error instanceof EngineError) throw new UsageError(`${file}: ${error.message}.`);
    throw error;
  }
}
