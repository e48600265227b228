/** `engine schema`: what a role sees, as SDL or as TypeScript types for its clients, or what it may run. */
import { printSchema } from 'graphql';
import { linkProgram } from '../../runtime/core/program/program.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { startProgress } from '../offline/progress.ts';
import { programOf } from '../phases/4-plan/program.ts';
import { operationTypes, schemaTypes } from './client-types.ts';
import type { CommandContext } from './command.ts';
import { compileReadable, type ProjectOptions, withProject } from './project.ts';

export interface SchemaOptions extends ProjectOptions {
  readonly role: string;
  readonly as: 'sdl' | 'types' | 'operations';
}

/**
 * Prints what a server would serve. Errors go to standard error; objects that are inconsistent are left out.
 * @returns the exit status: 1, and nothing printed, if the metadata or a catalog cannot be read
 */
export function schemaCommand(options: SchemaOptions, context: CommandContext): Promise<number> {
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const result = compileReadable(project, context, progress);
    if (!result) return 1;
    const { serving } = project.input;
    const program = linkProgram(programOf(result.state.plan), serving);
    const schema = graphqlSchema(program.roleSchema(options.role, false));
    const { stringifyNumbers } = serving;
    const saved = result.state.plan.saved?.operations ?? [];
    const texts = {
      sdl: () => `${printSchema(schema)}\n`,
      types: () => schemaTypes(schema, program, stringifyNumbers),
      operations: () => operationTypes(schema, options.role, program, saved, stringifyNumbers),
    };
    context.stdout(await texts[options.as]());
    return 0;
  });
}
