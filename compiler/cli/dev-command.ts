/** `engine dev`: serves a project while it is edited, until a signal ends it. */
import { existsSync } from 'node:fs';
import { Developing, type Development, type DevelopmentOptions, explain } from '../dev/develop.ts';
import { curl } from '../dev/terminal.ts';
import { type CommandContext, UsageError } from './command.ts';
import { stubsOf } from './project.ts';

interface DevOptions {
  readonly metadata: string;
  readonly migrations?: string;
  readonly seed?: string;
  readonly catalog?: string;
  readonly stubExtension?: readonly string[];
  readonly out?: string;
  readonly clientTypes?: readonly string[];
  readonly handlerTypes?: string;
}

/** Signals that end the command. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs until a signal comes. @throws UsageError */
export async function devCommand(
  options: DevOptions & Readonly<Record<string, unknown>>,
  context: CommandContext,
): Promise<number> {
  return runDevelopment(readOptions(options), context, welcome);
}

/**
 * Starts, prints the page that says what to try, and ends with the process when a signal comes: the second one does not wait.
 * @returns the exit status of a start that failed
 */
export async function runDevelopment(
  options: DevelopmentOptions,
  context: CommandContext,
  page: (development: Development) => string,
): Promise<number> {
  const developing = new Developing(options, context);
  let stopping: Promise<void> | undefined;
  for (const signal of ENDS)
    process.on(signal, () => {
      if (stopping) process.exit(130);
      context.stdout('\nStopping …\n');
      stopping = developing.stop();
      stopping.then(
        () => process.exit(0),
        (error: unknown) => {
          context.stderr(`${explain(error)}\n`);
          process.exit(1);
        },
      );
    });
  try {
    const development = await developing.start();
    process.on('uncaughtException', (error) => context.stderr(`${explain(error)}\n`));
    context.stdout(page(development));
  } catch (error) {
    if (!stopping) {
      context.stderr(`${explain(error)}\n`);
      await developing.stop();
      return 1;
    }
  }
  return new Promise(() => {});
}

/** @throws UsageError */
function readOptions(options: DevOptions & Readonly<Record<string, unknown>>): DevelopmentOptions {
  const { metadata, out, handlerTypes } = options;
  if (!existsSync(metadata))
    throw new UsageError(
      `There is no ${metadata} here: engine init writes a project, and --metadata names metadata that is elsewhere.`,
    );
  const file = (name: 'migrations' | 'seed' | 'catalog', defaults: readonly string[]) => {
    const given = options[name];
    if (given !== undefined && !existsSync(given)) throw new UsageError(`--${name}: there is no ${given}.`);
    // One that is made later is followed as well.
    return given ?? defaults.find((path) => existsSync(path)) ?? defaults[0];
  };
  return {
    metadata,
    out,
    handlerTypes,
    migrations: file('migrations', ['migrations']),
    seed: file('seed', ['seed.sql', 'seeds']),
    catalog: file('catalog', ['catalog.json']),
    stubs: stubsOf(options.stubExtension ?? []),
    clientTypes: (options.clientTypes ?? []).map((text) => {
      const at = text.indexOf('=');
      if (at < 1 || at === text.length - 1)
        throw new UsageError('The value of --client-types is written ROLE=FILE.');
      return [text.slice(0, at), text.slice(at + 1)];
    }),
    folder: '.engine',
    environmentFile: '.env',
    flags: options,
  };
}

function welcome({ port, configuration, place, roles }: Development): string {
  const url = `http://localhost:${port}`;
  const { graphiql, enableConsole, adminSecret } = configuration;
  const pages = [
    ...(graphiql ? [`GraphiQL  ${url}/graphiql`] : []),
    ...(enableConsole ? [`Console   ${url}/console`] : []),
    `GraphQL   ${url}/v1/graphql`,
  ];
  const [admin, first] = roles;
  const tries = [admin, first].flatMap((role) =>
    role ? [`\nas ${role.name}:\n${curl(url, role, configuration.vocabulary)}`] : [],
  );
  const secret =
    adminSecret === undefined
      ? ''
      : `\nEvery request needs the header ${configuration.vocabulary.fromCanonical('x-engine-admin-secret')} with the admin secret.\n`;
  return `
${pages.join('\n')}
${secret}${tries.join('\n')}
${place === undefined ? '' : `\nThe database: psql "$(cat .engine/engine_default.url)", its data is in ${place}`}
What you save is served at once. Ctrl-C ends everything.

`;
}
