/** `engine schema`: what a role sees, as SDL or as TypeScript types for its clients. */
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import { type GraphQLSchema, parse, printSchema } from 'graphql';
import { linkProgram } from '../runtime/core/program.ts';
import { graphqlSchema } from '../runtime/core/schema/introspection.ts';
import type { CommandContext } from './command.ts';
import { type CompileOptions, readCatalogs, readSettings } from './compile-command.ts';
import { hasErrors } from './diagnostics/diagnostic.ts';
import { renderDiagnostic } from './diagnostics/render.ts';
import { compile } from './index.ts';
import { readMetadataFile } from './phases/1-read/index.ts';
import { programOf } from './phases/4-plan/program.ts';

export interface SchemaOptions
  extends Pick<
    CompileOptions,
    'metadata' | 'catalog' | 'source' | 'databaseUrl' | 'experimentalFeatures' | 'defaultNamingConvention'
  > {
  readonly role: string;
  readonly as: 'sdl' | 'types';
}

/** Runs the command and returns its exit status: 1 when the metadata has errors, which are told on standard error. */
export async function schemaCommand(options: SchemaOptions, context: CommandContext): Promise<number> {
  const read = readMetadataFile(options.metadata);
  const { catalogOptions, naming, serving } = await readSettings(options, read.value, context);
  const catalogs = await readCatalogs(read.value, catalogOptions, context);
  const result = compile({ metadata: read.value, catalogs, origin: read.origin, naming, serving });
  const diagnostics = [...read.diagnostics, ...result.diagnostics];
  if (hasErrors(diagnostics)) {
    for (const diagnostic of diagnostics.filter(({ severity }) => severity === 'error'))
      context.stderr(`${renderDiagnostic(diagnostic, read.origin.describe)}\n\n`);
    return 1;
  }
  const program = linkProgram(programOf(result.state.plan), serving);
  const schema = graphqlSchema(program.view(options.role, false));
  context.stdout(options.as === 'sdl' ? `${printSchema(schema)}\n` : await clientTypes(schema));
  return 0;
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
