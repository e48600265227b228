/** `engine schema`: what a role sees, as SDL or as TypeScript types for its clients, or what it may run. */
import { printSchema } from 'graphql';
import { linkProgram } from '../../runtime/core/program.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import { hasErrors } from '../../runtime/diagnostics/diagnostic.ts';
import { compile } from '../index.ts';
import { programOf } from '../phases/4-plan/program.ts';
import { renderDiagnostics } from '../review/findings/render.ts';
import { operationTypes, schemaTypes } from './client-types.ts';
import type { CommandContext } from './command.ts';
import { startProgress } from './progress.ts';
import { type ProjectOptions, withProject } from './project.ts';

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
  return withProject(
    options,
    context,
    progress,
    async ({ read, catalogs, remotes, naming, serving, obstacles }) => {
      const result = compile({
        metadata: read.value,
        catalogs,
        remotes,
        origin: read.origin,
        naming,
        serving,
      });
      const diagnostics = [...read.diagnostics, ...(obstacles.length > 0 ? obstacles : result.diagnostics)];
      progress.end();
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      if (errors.length > 0) context.stderr(renderDiagnostics(errors, read.origin.describe));
      const isUnread = Object.values(catalogs).some((catalog) => 'error' in catalog);
      if (hasErrors(read.diagnostics) || obstacles.length > 0 || isUnread) return 1;
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
    },
  );
}
