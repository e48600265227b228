/** `npm start`: `engine dev` of the help desk example, with its receiver of webhooks, its roles and a page on what to try. */

import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { runDevelopment } from '../compiler/cli/dev-command.ts';
import type { Development } from '../compiler/dev/develop.ts';
import { curl } from '../compiler/dev/terminal.ts';
import { CANONICAL } from '../runtime/core/vocabulary.ts';
import type { GraphiqlRole } from '../runtime/http/graphiql.ts';
import { addServerOptions } from '../runtime/server/serve-command.ts';
import { startReceiver } from './helpdesk/receiver.ts';
import { agent, agentWorkload, customer, rating, roles } from './helpdesk/roles.ts';

/** Runs until Ctrl-C, with the options of a server from the command line. Ends the process with status 1 if something is in the way. */
export async function start(): Promise<void> {
  const command = new Command('npm start --').description('The help desk example on an embedded PostgreSQL.');
  addServerOptions(command, CANONICAL);
  const flags = command.parse().opts();
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  const secret = randomBytes(16).toString('hex');
  const receiver = await startReceiver(secret, (line) => console.log(`  ← ${line}`));
  console.log('Engine · the help desk example\n');
  const status = await runDevelopment(
    {
      metadata: 'examples/helpdesk/metadata',
      migrations: 'examples/helpdesk/schema.sql',
      seed: 'examples/helpdesk/seed.sql',
      catalog: undefined,
      stubs: new Map(),
      out: 'generated',
      clientTypes: [],
      handlerTypes: undefined,
      folder: '.engine',
      environmentFile: '.env',
      flags,
      roles,
    },
    {
      vocabulary: CANONICAL,
      environment: { ...process.env, HELPDESK_HOOKS: receiver.url, HELPDESK_HOOKS_SECRET: secret },
      stdout: (text) => process.stdout.write(text),
      stderr: (text) => process.stderr.write(text),
    },
    welcome,
  );
  process.exit(status);
}

function welcome({ port, place }: Development): string {
  const url = `http://localhost:${port}`;
  const tries: readonly (readonly [string, GraphiqlRole])[] = [
    ['a customer', customer],
    ['an agent', agent],
    ['the agent again', agentWorkload],
  ];
  return `
Try it in the browser:   ${url}/graphiql     (choose a role at the top right), or ${url}/console
or from another terminal:
${tries.map(([who, role]) => `\n  as ${who} – ${role.description}\n${curl(url, role, CANONICAL)}`).join('\n')}

See events arrive: the server calls a webhook here for each rating of an article, and every minute for a cron trigger.
${curl(url, rating, CANONICAL)}

Change it:               examples/helpdesk/metadata/       what you save is served at once
Read what answers:       generated/README.md
                         generated/sources/default/public/ticket.access.ts     who may touch tickets
                         generated/roles/customer.txt                          what a customer may do
                         generated/events/default/article_rated.ts             which event is captured, and how

Ctrl-C stops the server and the database. The data stays in ${place}; \`rm -r .engine\` forgets it.

`;
}
