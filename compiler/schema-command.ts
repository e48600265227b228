/** `engine schema`: what a role sees, as SDL or as TypeScript types for its clients. */
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import { type GraphQLSchema, parse, printSchema } from 'graphql';
import { linkProgram } from '../runtime/core/program.ts';
import { graphqlSchema } from '../runtime/core/schema/introspection.ts';
import type { CommandContext } from './command.ts';
import { hasErrors } from './diagnostics/diagnostic.ts';
import { renderDiagnostic } from './diagnostics/render.ts';
import { compile } from './index.ts';
import { programOf } from './phases/4-plan/program.ts';
import { startProgress } from './progress.ts';
import { type ProjectOptions, withProject } from './project.ts';

export interface SchemaOptions extends ProjectOptions {
  readonly role: string;
  readonly as: 'sdl' | 'types';
}

/** Runs the command and returns its exit status: 1 when the metadata has errors, which are told on standard error. */
export function schemaCommand(options: SchemaOptions, context: CommandContext): Promise<number> {
  const progress = startProgress(context);
  return withProject(options, context, progress, async ({ read, catalogs, naming, serving, obstacles }) => {
    const result = compile({ metadata: read.value, catalogs, origin: read.origin, naming, serving });
    const diagnostics = [...read.diagnostics, ...(obstacles.length > 0 ? obstacles : result.diagnostics)];
    progress.end();
    if (hasErrors(diagnostics)) {
      for (const diagnostic of diagnostics.filter(({ severity }) => severity === 'error'))
        context.stderr(`${renderDiagnostic(diagnostic, read.origin.describe)}\n\n`);
      return 1;
    }
    const program = linkProgram(programOf(result.state.plan), serving);
    const schema = graphqlSchema(program.view(options.role, false));
    context.stdout(options.as === 'sdl' ? `${printSchema(schema)}\n` : await clientTypes(schema));
    return 0;
  });
}

/** TypeScript types of a schema. Custom scalars are `unknown`: what they hold is between the database and the client. */
function clientTypes(schema: GraphQLSchema): Promise<string> {
  return codegen({
    documents: [],
    filename: 'types.ts',
    schema: parse(printSchema(schema)),
    config: { defaultScalarType: 'unknown', useTypeImports: true },
    plugins: [{ typescript: {} }],
    pluginMap: { typescript },
  });
}
