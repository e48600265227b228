/** The commands that work with a running server or a live database. */
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { compilerModule, reviewModule } from '../../module.ts';
import type { CommandContext } from '../command.ts';
import { type CommandDeclaration, format, type OptionDeclaration } from './declaration.ts';
import { collect, collectSourceAddress, metadataOption, projectOptions } from './project-options.ts';

const eventCommands = () => import('../events-command.ts');
const liveCommands = () => import('../live-command.ts');
const remoteCommands = () => import('../remote-command.ts');

/** Where a running server is. */
const serverOptions = (vocabulary: Vocabulary): readonly OptionDeclaration[] => [
  ['--endpoint <url>', 'address of the server', { default: 'http://localhost:8080' }],
  [
    '--admin-secret <secret>',
    `admin secret of the server; default: ${vocabulary.environment('ADMIN_SECRET')}`,
  ],
];

const filesOfServer = (vocabulary: Vocabulary): readonly OptionDeclaration[] => [
  ['--metadata <path>', 'JSON file, or directory of YAML files', { required: true }],
  ...serverOptions(vocabulary),
];

const sourceOfServer = (vocabulary: Vocabulary): readonly OptionDeclaration[] => [
  ['--source <name>', 'name of the source', { default: 'default' }],
  ...serverOptions(vocabulary),
];

/** Databases whose writes are recorded. */
const RECORDED: readonly OptionDeclaration[] = [
  ['--metadata <path>', 'JSON or YAML file, or directory of YAML files'],
  [
    '--source <name=url>',
    'connection string of a source, overriding the metadata; repeatable',
    { parse: collectSourceAddress },
  ],
];

const serveCommand: CommandDeclaration = {
  name: 'serve',
  description: 'serve the GraphQL API of the metadata, or of a compiled folder',
  serves: true,
  options: [
    ['--generated <DIR>', 'serve this compiled folder; neither metadata nor compiler are loaded'],
    [
      '--source <NAME=URL>',
      'with --generated: connection string of a source, in which {{NAME}} is an environment variable (repeatable)',
      { parse: collect, default: [] },
    ],
    [
      '--allow-edited',
      'with --generated: serve files that are not as the compiler wrote them, to try something out',
    ],
  ],
  run: async () => {
    const { serve } = await import('../../../runtime/server/serve-command.ts');
    return async (flags: Readonly<Record<string, unknown>>, { vocabulary }: CommandContext) => {
      await serve(flags, { compiler: compilerModule, review: reviewModule }, vocabulary);
      return 0;
    };
  },
};

const developCommand: CommandDeclaration = {
  name: 'dev',
  serves: true,
  description: 'serve a project while you edit it, on a PostgreSQL of its own where it has no database',
  options: [
    ['--metadata <path>', 'metadata to serve: directory or file', { default: 'metadata' }],
    ['--migrations <path>', 'SQL for the development database; default: migrations, if it exists'],
    ['--seed <path>', 'SQL to apply after the migrations; default: seed.sql or seeds, if it exists'],
    [
      '--catalog <file>',
      'make tables after this saved catalog where there are no migrations; default: catalog.json, if it exists',
    ],
    [
      '--stub-extension <name[=file]>',
      'install a stub of an extension that the embedded PostgreSQL lacks; repeatable',
      { parse: collect },
    ],
    ['--out <folder>', 'write the generated files as well, at every change'],
    [
      '--client-types <role=file>',
      "write TypeScript types for a role's clients; repeatable",
      { parse: collect },
    ],
    ['--handler-types <folder>', 'write TypeScript types and stubs for handlers of actions'],
  ],
  help: `
Listens on this machine only, with the console and GraphiQL, and follows metadata, migrations, seed and .env: what is saved is
served at once, and what is wrong with it is printed, and again when it is mended. A file that cannot be read changes nothing.

.env holds environment variables; those that are set already win. A source whose address they hold, or --database-url, is served as
it is: no migrations are applied to it. Every other source gets a database of an embedded PostgreSQL, which is kept in .engine.
New migrations are applied to it. When an applied file or the seed changes, it is made anew, and the former one is kept beside it.

What the console and the metadata API change is written to the files, one table a file, as engine metadata export writes them.

Ctrl-C ends everything but the data, a second one at once. rm -r .engine forgets the data.

Examples:
  engine dev
  engine dev --server-port 8081 --client-types user=web/types.ts
  engine dev --database-url postgres://localhost/shop`,
  run: async () => (await import('../dev-command.ts')).devCommand,
};

/** They are declared on use: some texts have the vocabulary's word. */
export const serverCommands = (vocabulary: Vocabulary): readonly CommandDeclaration[] => [
  {
    name: 'metadata',
    description: 'export the metadata of a running server to files, compare it with files, or apply files',
    help: `
Metadata is a JSON file (its name ends in .json) or a directory of YAML files, one table a file.

Exit status: 0 done, 1 refused or unreachable, or for diff: different; 2 wrong use.

Examples:
  engine metadata export --endpoint http://localhost:8080 --metadata metadata
  engine metadata diff --endpoint http://localhost:8080 --metadata metadata
  engine metadata apply --endpoint http://localhost:8080 --metadata metadata`,
  },
  {
    name: 'metadata export',
    description: "write the server's metadata to files",
    options: [...filesOfServer(vocabulary)],
    run: async () => (await import('../metadata-command.ts')).exportCommand,
  },
  {
    name: 'metadata apply',
    description: "replace the server's metadata with the files",
    options: [
      ...filesOfServer(vocabulary),
      ['--allow-inconsistent', 'apply even if some objects are inconsistent'],
    ],
    run: async () => (await import('../metadata-command.ts')).applyCommand,
  },
  {
    name: 'metadata diff',
    description: 'show what apply would change, without changing it',
    options: [...filesOfServer(vocabulary)],
    run: async () => (await import('../metadata-command.ts')).metadataDiffCommand,
  },
  {
    name: 'events',
    description: 'list, show and redeliver events of a running server; pause and resume event triggers',
    help: `
Exit status: 0 done, 1 refused or unreachable, 2 wrong use.

Examples:
  engine events list article_rated --status error
  engine events redeliver article_rated --since 2026-01-31T00:00:00Z --per-second 10
  engine events pause article_rated`,
  },
  {
    name: 'events list',
    description: 'list the events of an event trigger, newest first',
    arguments: { '<trigger>': 'name of the event trigger' },
    options: [
      ...sourceOfServer(vocabulary),
      ['--status <status>', 'only these', { choices: ['pending', 'processed', 'error'] }],
      ['--limit <number>', 'maximum number of events', { default: '100' }],
      format('text', 'json'),
    ],
    run: async () => (await eventCommands()).listCommand,
  },
  {
    name: 'events show',
    description: 'show an event and the calls that were made for it',
    arguments: { '<event>': 'id of the event' },
    options: [...sourceOfServer(vocabulary), format('text', 'json')],
    run: async () => (await eventCommands()).showCommand,
  },
  {
    name: 'events redeliver',
    description: 'deliver an event again, or those of an event trigger that failed for good',
    arguments: { '<event>': 'id of the event, or name of the event trigger' },
    options: [
      ...sourceOfServer(vocabulary),
      ['--status <status>', 'processed: delivered ones, too', { choices: ['error', 'processed'] }],
      ['--since <time>', 'only events made since this time (ISO 8601 with a zone)'],
      ['--limit <number>', 'maximum number of events', { default: '1000' }],
      ['--per-second <number>', 'spread the deliveries over time'],
    ],
    run: async () => (await eventCommands()).redeliverCommand,
  },
  {
    name: 'events pause',
    description: 'stop the deliveries of an event trigger; its events wait',
    arguments: { '<trigger>': 'name of the event trigger' },
    options: sourceOfServer(vocabulary),
    run: async () => (await eventCommands()).pauseCommand.bind(undefined, 'pause'),
  },
  {
    name: 'events resume',
    description: 'deliver the events of an event trigger again',
    arguments: { '<trigger>': 'name of the event trigger' },
    options: sourceOfServer(vocabulary),
    run: async () => (await eventCommands()).pauseCommand.bind(undefined, 'resume'),
  },
  {
    name: 'live',
    description: 'install triggers that tell live queries which tables and keys were written',
    help: `
Live queries need none of it: without triggers they are read again after any write to the database server, with them only
after a write to their own tables and keys. docs/live-queries.md says what it costs.

install needs the right to create triggers on the tracked tables, and to create the schema engine_catalog or objects in it. Run it as
the server's own role, which has to read and write what is recorded. Each table is locked for writers for a moment, one after the other.

Examples:
  engine live install --metadata metadata --dry-run
  engine live install --metadata metadata
  engine live status --metadata metadata
  engine live remove --source default=postgres://localhost/shop`,
  },
  {
    name: 'live install',
    description: 'create the triggers on every tracked table, and on tables behind tracked views',
    options: [...RECORDED, ['--dry-run', 'print the SQL and change nothing']],
    run: async () => (await liveCommands()).liveInstallCommand,
  },
  {
    name: 'live status',
    description: 'list the tables and whether their writes are recorded; exit 1 if some are not',
    options: [...RECORDED, ['--json', 'print the result as JSON']],
    run: async () => (await liveCommands()).liveStatusCommand,
  },
  {
    name: 'live remove',
    description: 'drop the triggers, wherever they are, and what they recorded',
    options: [...RECORDED, ['--dry-run', 'print the SQL and change nothing']],
    run: async () => (await liveCommands()).liveRemoveCommand,
  },
  {
    name: 'remote',
    description: 'pin remote schemas beside the metadata, and compare them with the servers',
    help: `
A lock is remote_schemas/<name>.graphql beside the metadata: the schema as text, with its hash. With locks, compiling needs
no network.

Examples:
  engine remote lock --metadata metadata
  engine remote diff --metadata metadata
  engine remote check --metadata metadata --catalog catalog.json
  engine remote rebase --metadata metadata --out proposed`,
  },
  {
    name: 'remote lock',
    description: 'write the locks of remote schemas',
    arguments: { '[names...]': 'remote schemas; default: all' },
    options: [metadataOption()],
    run: async () => (await remoteCommands()).lockCommand,
  },
  {
    name: 'remote diff',
    description: 'show what new locks would change; exit 1 for differences',
    arguments: { '[names...]': 'remote schemas; default: all' },
    options: [metadataOption()],
    run: async () => (await remoteCommands()).remoteDiffCommand,
  },
  {
    name: 'remote rebase',
    description: 'propose permissions without what the servers no longer have; exit 1 for proposals',
    arguments: { '[names...]': 'remote schemas; default: all' },
    options: [
      metadataOption(),
      ['--out <folder>', 'write proposals as <remote schema>/<role>.graphql below this folder'],
    ],
    run: async () => (await remoteCommands()).rebaseCommand,
  },
  {
    name: 'remote check',
    description: 'report permissions, relationships and saved operations that a server would break; exit 1',
    arguments: { '[names...]': 'remote schemas; default: all' },
    options: projectOptions(vocabulary),
    run: async () => (await remoteCommands()).remoteCheckCommand,
  },
  { name: 'adopt', description: 'find what another engine of this API family left in a database' },
  {
    name: 'adopt check',
    description: 'list its triggers, functions that read its settings, and undelivered events',
    arguments: { '[url]': 'the database; default: --database-url' },
    options: [
      [
        '--format <format>',
        'text, json, or the sql that settles it',
        { choices: ['text', 'json', 'sql'], default: 'text' },
      ],
    ],
    help: `
Reads the catalog and counts rows, in a read-only session: nothing is changed. The exit code is 1 if something has to be settled.

Examples:
  engine adopt check postgres://localhost/shop
  engine adopt check postgres://localhost/shop --format sql > settle.sql`,
    run: async () => (await import('../adopt-command.ts')).adoptCheckCommand,
  },
];

/** The commands that start a server. */
export const servingCommands = [serveCommand, developCommand];
