/** `engine schema`: what a role sees, as SDL or as TypeScript types for its clients, or what it may run. */
import { printSchema } from 'graphql';
import { linkProgram } from '../../runtime/core/program/program.ts';
import type { SavedOptions } from '../../runtime/core/saved/saved.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import type { CompileResult } from '../index.ts';
import { startProgress } from '../offline/progress.ts';
import { programOf } from '../phases/4-plan/program.ts';
import { operationTypes, schemaTypes } from './client-types.ts';
import type { CommandContext } from './command.ts';
import { compileReadable, type ProjectOptions, withProject } from './project.ts';

export interface SchemaCommandOptions extends ProjectOptions {
  readonly role: string;
  readonly as: 'sdl' | 'types' | 'operations';
}

/**
 * Prints what a server would serve. Errors go to standard error; objects that are inconsistent are left out.
 * @returns the exit status: 1, and nothing printed, if the metadata or a catalog cannot be read
 */
export function schemaCommand(options: SchemaCommandOptions, context: CommandContext): Promise<number> {
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const result = compileReadable(project, context, progress);
    if (!result) return 1;
    context.stdout(await roleTypes(result, options.role, options.as, project.input.serving));
    return 0;
  });
}

/** What a role sees or may run, in the form that is asked for. */
export async function roleTypes(
  result: CompileResult,
  role: string,
  as: SchemaCommandOptions['as'],
  serving: SavedOptions,
): Promise<string> {
  const program = linkProgram(programOf(result.state.plan), serving);
  const schema = graphqlSchema(program.roleSchema(role, false));
  const { stringifyNumbers } = serving;
  if (as === 'sdl') return `${printSchema(schema)}\n`;
  if (as === 'types') return schemaTypes(schema, program, stringifyNumbers);
  return operationTypes(schema, role, program, result.state.plan.saved?.operations ?? [], stringifyNumbers);
}
