/**
 * The help desk example from nothing: an embedded PostgreSQL with its data in `.engine/`, the example's database, a
 * compile to `generated/`, and the server with its GraphiQL page, until Ctrl-C.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../compiler/offline/embedded.ts';
import {
  type Configuration,
  ConfigurationError,
  readConfiguration,
} from '../runtime/configuration/configuration.ts';
import { EngineError } from '../runtime/core/errors.ts';
import { type GraphiqlRole, graphiql } from '../runtime/http/graphiql.ts';
import { startServer } from '../runtime/server/main.ts';
import { StartError } from '../runtime/server/start-error.ts';
import { startReceiver } from './helpdesk/receiver.ts';
import { agent, agentWorkload, customer, rating, roles } from './helpdesk/roles.ts';
import { compileExample, fillDatabase } from './prepare.ts';

const dataDirectory = fileURLToPath(new URL('../.engine/postgres', import.meta.url));

/** What the user can put right is told in its message alone; anything else is our defect and comes with its stack. */
const expected = [StartError, EmbeddedPostgresError, ConfigurationError, EngineError];

/** Starts everything and returns when the server answers. Ends the process with status 1 if something is in the way. */
export async function start(): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  let stopping = false;
  const interrupted = () => {
    // The second Ctrl-C does not wait; the embedded server ends with this process in any case.
    if (stopping) process.exit(130);
    stopping = true;
    console.log('\nStopping …');
    stopAll().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', interrupted);
  process.on('SIGTERM', interrupted);

  try {
    const port = choosePort();
    await requireFreePort(port);
    console.log('Engine · the help desk example\n');

    const postgres = await startEmbeddedPostgres({ dataDirectory });
    stops.push(postgres.stop);
    const place = postgres.dataDirectory === dataDirectory ? '.engine/postgres' : postgres.dataDirectory;
    progress(`PostgreSQL runs on port ${postgres.port}, its data is in ${place}`);

    const databaseUrl = await postgres.createDatabase('helpdesk');
    progress(
      (await fillDatabase(databaseUrl))
        ? 'database "helpdesk" created and filled'
        : 'database "helpdesk" as you left it',
    );

    const { status, output } = await compileExample(databaseUrl);
    if (status !== 0) throw new StartError(`The example does not compile:\n${output}`);
    progress('compiled to generated/');

    const secret = randomBytes(16).toString('hex');
    const receiver = await startReceiver(secret, (line) => console.log(`  ← ${line}`));
    stops.push(receiver.close);

    const server = await startServer({
      configuration: configure(port, databaseUrl),
      environment: { ...process.env, HELPDESK_HOOKS: receiver.url, HELPDESK_HOOKS_SECRET: secret },
      generated: { directory: 'generated', sources: { default: databaseUrl } },
      endpoints: [(app) => graphiql(app, { roles })],
    });
    stops.push(server.stop);
    progress('the server answers');
    console.log(welcome(port, place));
  } catch (error) {
    await stopAll();
    if (stopping) return;
    const known = expected.some((kind) => error instanceof kind);
    console.error(`\n${error instanceof Error ? (known ? error.message : error.stack) : String(error)}`);
    process.exit(1);
  }
}

function progress(text: string): void {
  console.log(`  ✓ ${text}`);
}

function choosePort(): number {
  const text = process.env.ENGINE_GRAPHQL_SERVER_PORT ?? '8080';
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new StartError(`ENGINE_GRAPHQL_SERVER_PORT is "${text}", which is not a port number (1 to 65535).`);
}

/**
 * The server's variables count here too. Where they are silent: nobody else may reach a server that asks for no secret,
 * and the terminal shows problems only.
 */
function configure(port: number, databaseUrl: string): Configuration {
  const defaults = { ENGINE_GRAPHQL_SERVER_HOST: '127.0.0.1', ENGINE_GRAPHQL_LOG_LEVEL: 'warn' };
  return readConfiguration({ serverPort: port, databaseUrl }, { ...defaults, ...process.env });
}

/** Asked first, so that nothing has been started when the answer is no. */
async function requireFreePort(port: number): Promise<void> {
  const failure = await new Promise<NodeJS.ErrnoException | undefined>((done) => {
    const probe = createServer();
    probe.once('error', done);
    probe.listen(port, () => probe.close(() => done(undefined)));
  });
  if (failure === undefined) return;
  const reason = failure.code === 'EACCES' ? 'may not be used by this user' : 'is taken by another program';
  throw new StartError(
    `Port ${port} ${reason}.\nStop that program, or choose another port: ENGINE_GRAPHQL_SERVER_PORT=8081 npm start`,
  );
}

function welcome(port: number, place: string): string {
  const url = `http://localhost:${port}`;
  const tries: readonly (readonly [string, GraphiqlRole])[] = [
    ['a customer', customer],
    ['an agent', agent],
    ['the agent again', agentWorkload],
  ];
  return `
Try it in the browser:   ${url}/graphiql     (choose a role at the top right)
or from another terminal:
${tries.map(([who, role]) => `\n  as ${who} – ${role.description}\n${curl(url, role)}`).join('\n')}

See events arrive: the server calls a webhook here for each rating of an article, and every minute for a cron trigger.
${curl(url, rating)}

Read what answers them:  generated/README.md
                         generated/sources/default/public/ticket.access.ts     who may touch tickets
                         generated/roles/customer.txt                          what a customer may do
                         generated/events/default/article_rated.ts             which event is captured, and how

Ctrl-C stops the server and the database. The data stays; \`rm -r ${place}\` forgets it.`;
}

/** The request as a command line; comments and line breaks of the query are folded away. */
function curl(url: string, role: GraphiqlRole): string {
  const query = role.query.replaceAll(/#.*\n/g, '').replaceAll(/\s+/g, ' ').trim();
  const headers = Object.entries(role.headers).map(([name, value]) => `-H '${name}: ${value}'`);
  return `  curl ${url}/v1/graphql ${headers.join(' ')} \\\n    -H 'content-type: application/json' -d '${JSON.stringify({ query })}'`;
}
