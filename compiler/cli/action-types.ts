/** `engine action types`: TypeScript types for handlers of actions, and stubs of handlers that do not exist yet. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescript from '@graphql-codegen/typescript';
import { parse, parseType } from 'graphql';
import type { ActionShape, ActionsProgram, CustomTypesShape } from '../../runtime/core/action/shapes.ts';
import { camelCase, upperFirst } from '../../runtime/core/names.ts';
import type { CompileResult } from '../index.ts';
import { startProgress } from '../offline/progress.ts';
import { programOf } from '../phases/4-plan/program.ts';
import { nativeText, typeText } from '../phases/5-emit/action.ts';
import type { CommandContext } from './command.ts';
import { compileReadable, type ProjectOptions, withProject } from './project.ts';

interface ActionTypesOptions extends ProjectOptions {
  /** Folder of the handlers. */
  readonly out: string;
}

/**
 * Writes `types.ts`, and a file for each action that has none. Existing handlers are never changed.
 * @returns the exit status: 1, and nothing written, if the metadata or a catalog cannot be read
 */
export function actionTypesCommand(options: ActionTypesOptions, context: CommandContext): Promise<number> {
  const progress = startProgress(context);
  return withProject(options, context, progress, async (project) => {
    const result = compileReadable(project, context, progress);
    if (!result) return 1;
    const written = await writeHandlers(result, options.out);
    if (written.length === 0) {
      context.stderr('The metadata has no actions that can be served: nothing was written.\n');
      return 1;
    }
    for (const path of written) context.stdout(`${path}\n`);
    return 0;
  });
}

/** Writes types and the stubs that are missing. @returns their paths; none without actions */
export async function writeHandlers({ state }: CompileResult, out: string): Promise<string[]> {
  const { actions } = programOf(state.plan);
  if (!actions) return [];
  mkdirSync(out, { recursive: true });
  const missing = actions.actions.filter(({ name }) => !existsSync(join(out, `${name}.ts`)));
  const texts = [
    ['types.ts', await handlerTypes(actions)] as const,
    ...missing.map((action) => [`${action.name}.ts`, handlerStub(action)] as const),
  ];
  return texts.map(([name, text]) => {
    const path = join(out, name);
    writeFileSync(path, text);
    return path;
  });
}

/** Types of actions, for their handlers. */
export async function handlerTypes({ actions, types }: ActionsProgram): Promise<string> {
  const names = argumentNames(actions, types);
  const sdl = customSdl(types, actions, names);
  // Actions without arguments that answer built-in scalars need no types.
  const printed =
    sdl &&
    (await codegen({
      documents: [],
      filename: 'types.ts',
      schema: parse(sdl),
      config: {
        scalars: Object.fromEntries(
          Object.entries(types.postgres ?? {}).map(([name, key]) => [name, nativeText(key)]),
        ),
        defaultScalarType: 'unknown',
        enumsAsTypes: true,
        namingConvention: 'keep',
        skipTypename: true,
      },
      plugins: [{ typescript: {} }],
      pluginMap: { typescript },
    }));
  const entries = actions.map(({ name, output }) => {
    const input = names.get(name) ?? 'Record<string, never>';
    return `  ${name}: { input: ${input}; output: ${typeText(parseType(output, { noLocation: true }))} };\n`;
  });
  return `// Types for handlers of actions. Made by engine action types; changes are overwritten.
${printed.trim()}

/** Body of a handler's request, unless the action transforms requests. */
export interface ActionRequest<Input> {
  readonly action: { readonly name: string };
  readonly input: Input;
  /** Lower-case names. */
  readonly session_variables: Readonly<Record<string, string>>;
  /** The client's document; null for asynchronous actions. */
  readonly request_query: string | null;
}

/** Answered with a status from 400 to 499; clients get it as their error. */
export interface ActionError {
  readonly message: string;
  readonly code?: string;
  /** Replaces all of the error's extensions. */
  readonly extensions?: unknown;
}

/** Arguments and answer of each action. */
export interface Actions {
${entries.join('')}}

export type ActionHandler<Name extends keyof Actions> = (
  request: ActionRequest<Actions[Name]['input']>,
) => Promise<Actions[Name]['output']>;
`;
}

/** Names for the arguments of actions that have any; no custom type has the same one. */
function argumentNames(actions: readonly ActionShape[], types: CustomTypesShape): Map<string, string> {
  const taken = new Set(Object.values(types).flatMap((record) => Object.keys(record ?? {})));
  const named = actions.filter(({ arguments: args }) => Object.keys(args).length > 0);
  return new Map(
    named.map(({ name }) => {
      let unique = `${upperFirst(camelCase(name))}Arguments`;
      while (taken.has(unique)) unique += '_';
      taken.add(unique);
      return [name, unique];
    }),
  );
}

type Fields = Readonly<Record<string, { readonly type: string; readonly description?: string }>>;

function customSdl(
  { scalars = {}, enums = {}, inputs = {}, objects = {}, postgres = {} }: CustomTypesShape,
  actions: readonly ActionShape[],
  names: ReadonlyMap<string, string>,
): string {
  const text = ({ description }: { readonly description?: string }) =>
    description ? `${JSON.stringify(description)} ` : '';
  const fields = (record: Fields) =>
    `{ ${Object.entries(record)
      .map(([name, field]) => `${text(field)}${name}: ${field.type}`)
      .join(' ')} }`;
  return [
    ...Object.entries(scalars).map(([name, shape]) => `${text(shape)}scalar ${name}`),
    ...Object.keys(postgres).map((name) => `scalar ${name}`),
    ...Object.entries(enums).map(([name, shape]) => {
      const values = Object.entries(shape.values).map(([value, each]) => `${text(each)}${value}`);
      return `${text(shape)}enum ${name} { ${values.join(' ')} }`;
    }),
    ...Object.entries(inputs).map(([name, shape]) => `${text(shape)}input ${name} ${fields(shape.fields)}`),
    // Relationships are looked up by the server, never answered by a handler.
    ...Object.entries(objects).map(([name, shape]) => `${text(shape)}type ${name} ${fields(shape.fields)}`),
    ...actions.flatMap(({ name, arguments: args }) =>
      names.has(name) ? [`input ${names.get(name)} ${fields(args)}`] : [],
    ),
  ].join('\n');
}

/** A handler to be filled in. The thrown error does not contain the input, which may hold a password and would end in logs. */
export function handlerStub({ name, type, kind, description, requestTransform }: ActionShape): string {
  const about = [
    `Handler of the ${kind} ${type} ${name}${description ? `: ${description.replaceAll('*/', '* /')}` : '.'}`,
    ...(requestTransform ? ['The action transforms requests: their bodies are as its template says.'] : []),
  ];
  return `import type { ActionHandler } from './types.ts';

/** ${about.join(' ')} */
export const ${camelCase(name)}: ActionHandler<'${name}'> = async () => {
  throw new Error('${name} is not implemented');
};
`;
}
