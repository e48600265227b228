/** The commands that begin, compile and deliver a project. */
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { type CommandDeclaration, FORMATS, format } from './declaration.ts';
import {
  CATALOGS,
  collect,
  collectSourceAddress,
  metadataOption,
  projectOptions,
} from './project-options.ts';

/** They are declared on use: some texts have the vocabulary's word. */
export const projectCommands = (vocabulary: Vocabulary): readonly CommandDeclaration[] => [
  {
    name: 'init',
    description:
      'write a project that serves a database: metadata, catalog, tests, a workflow; no permissions',
    options: [
      ['--out <folder>', 'folder of the project', { default: '.' }],
      ['--schema <name...>', 'serve only these schemas of the database'],
    ],
    help: `
Tables, views and functions that return rows are served, with relationships by foreign keys in both directions. What GraphQL cannot
name gets another name; what cannot be served is left out. Both are printed, and written to left-out.md.

The database is that of --database-url, or of the environment. Its address is written to .env, which .gitignore names, and to no
other file. Without an address the project begins with a first migration, which is applied to an embedded PostgreSQL.

Nothing is overwritten: if one of the files exists, the command names it and writes nothing.

Examples:
  engine init --database-url postgres://localhost/shop
  engine init --database-url postgres://localhost/shop --schema public sales --out api
  engine init --out first`,
    run: async () => (await import('../init-command.ts')).initCommand,
  },
  {
    name: 'role',
    description: 'propose the permissions of a role by whose the rows are, and show what a role may do',
  },
  {
    name: 'role add',
    description:
      'follow foreign keys to the owner of each row, and propose rules; --write puts them into the metadata',
    arguments: { '<role>': 'name of the role' },
    options: [
      ...projectOptions(vocabulary),
      ['--owner <column=variable>', 'who the user is: SCHEMA.TABLE.COLUMN=X-Engine-User-Id'],
      ['--tenant <column=variable>', 'who the tenant is: SCHEMA.TABLE.COLUMN=X-Engine-Org-Id'],
      [
        '--path <table=constraint>',
        'choose the way of a table: TABLE=CONSTRAINT[.CONSTRAINT]; repeatable',
        { parse: collect },
      ],
      ['--write', 'put the permissions into the files of the metadata, with a case for each'],
      ['--cases <folder>', 'folder for the cases', { default: 'tests' }],
    ],
    help: `${CATALOGS}

A row belongs to whom the shortest way along its foreign keys leads. Tables without a way stay closed, and so do tables with several
of one length until --path chooses one. With --owner and --tenant, rows of the owner are also tied to the tenant, and tables that
lead to the tenant alone are only read.

select shows every column but those with names of secrets. insert presets the owner's column, or checks that the row refers to one
that is the owner's. update neither changes that nor keys. delete is left out where it reaches rows that may be another's. What
else a row refers to has to be the owner's, too, if the role reads it by a rule.

The rules are tried with rows of two owners on an embedded PostgreSQL, made of the migrations or after the catalog, never on your
database. Tables on which the role has any permission stay as they are.

Exit status: 0 proposed or written, 1 errors in the metadata, or rules that did not hold; 2 wrong use.

Examples:
  engine role add user --owner public.users.id=X-Engine-User-Id --metadata metadata --catalog catalog.json
  engine role add user --owner users.id=X-Engine-User-Id --path messages=messages_sender_id_fkey --write --metadata metadata --catalog catalog.json
  engine role add clerk --tenant orgs.id=X-Engine-Org-Id --metadata metadata --migrations migrations`,
    run: async () => (await import('../role-command.ts')).roleAddCommand,
  },
  {
    name: 'role show',
    description: "print a role's ledger",
    arguments: { '<role>': 'name of the role' },
    options: projectOptions(vocabulary),
    help: `${CATALOGS}

Prints what generated/roles/ROLE.txt says, of the metadata as it is now.

Example:
  engine role show user --metadata metadata --catalog catalog.json`,
    run: async () => (await import('../role-command.ts')).roleShowCommand,
  },
  {
    name: 'compile',
    description: 'generate the code that serves a project: table shapes, access rules, resolvers',
    options: [
      ...projectOptions(vocabulary),
      ['--out <folder>', 'folder for the generated files', { required: true }],
      ['--check', 'write nothing; exit 1 and list the files that are out of date'],
      ['--strict', 'treat unknown metadata keys as errors'],
      ['--allow-inconsistent', 'leave out objects with errors, and write the rest'],
      [
        '--prove',
        'have PostgreSQL prepare (not run) every generated SQL text; always done with --migrations',
      ],
      ['--check-environment', 'fail if an environment variable used by the metadata is not set'],
      ['--check-types', 'type-check the generated code; it is always loaded, which checks every name'],
      ['--lint [file]', 'also lint the permissions; configuration file, default engine-lint.yaml'],
      format(...FORMATS),
    ],
    help: `${CATALOGS}

Formats: text for a terminal, json, sarif (SARIF 2.1.0, on standard output), annotations (::error file=…,line=…::…, which
code hosts show beside the line).

Exit status: 0 done, 1 errors in the metadata or its migrations, SQL that PostgreSQL refuses, unreachable databases (nothing is
written then; see --allow-inconsistent), stale files or findings of the lint, 2 wrong use. Warnings alone are no error. engine explain CODE explains a diagnostic.

Examples:
  engine compile --metadata metadata --out generated
  engine compile --metadata metadata --migrations migrations --out generated
  engine compile --metadata metadata.json --source default=postgres://localhost/shop --out generated --prove
  engine compile --metadata metadata --catalog catalog.json --out generated --check`,
    run: async () => (await import('../compile-command.ts')).compileCommand,
  },
  {
    name: 'introspect',
    description: 'save the catalogs of databases to a file, to compile without a database',
    options: [
      ['--out <file>', 'JSON file to write', { required: true }],
      ['--metadata <path>', 'metadata whose sources to read; default: the sources of --source'],
      ['--source <name=url>', "address of a source's database; repeatable", { parse: collectSourceAddress }],
    ],
    help: `
The file holds tables, columns, keys, types and functions, and the rows of enum tables that the metadata names. It holds no
addresses and no other rows.

Example:
  engine introspect --metadata metadata --out catalog.json`,
    run: async () => (await import('../introspect-command.ts')).introspectCommand,
  },
  {
    name: 'schema',
    description: 'print the GraphQL schema of a role, or TypeScript types for its clients',
    options: [
      ...projectOptions(vocabulary),
      ['--role <name>', 'name of the role', { required: true }],
      [
        '--as <form>',
        'output: the schema, TypeScript types of it, or types of the saved operations of the role',
        { choices: ['sdl', 'types', 'operations'], default: 'sdl' },
      ],
    ],
    help: `
Examples:
  engine schema --metadata metadata --role user > schema.graphql
  engine schema --metadata metadata --catalog catalog.json --role user --as types > types.ts
  engine schema --metadata metadata --catalog catalog.json --role user --as operations > operations.ts`,
    run: async () => (await import('../schema-command.ts')).schemaCommand,
  },
  { name: 'collections', description: 'manage query collections' },
  {
    name: 'collections import',
    description: "import a client's manifest of persisted operations as a query collection",
    arguments: { '<manifest>': "JSON file written by the client's code generator" },
    options: [
      metadataOption('metadata to change: JSON file, or directory of YAML files'),
      ['--name <name>', 'name of the collection; its operations are replaced', { required: true }],
      ['--comment <text>', 'comment of the collection'],
    ],
    help: `
Manifests: persisted-documents.json of @graphql-codegen/client-preset, the file of Relay's persistConfig, and the
apollo-persisted-query-manifest of @apollo/generate-persisted-query-manifest. Clients then call by the hash that their
manifest has; give each released version of a client a collection of its own, and drop it when that version is no longer used.

Example:
  engine collections import persisted-documents.json --metadata metadata --name web-2026-05`,
    run: async () => (await import('../collections-command.ts')).importCommand,
  },
  { name: 'action', description: 'help to write handlers of actions' },
  {
    name: 'action types',
    description: 'write TypeScript types for handlers, and stubs of handlers that do not exist yet',
    options: [
      ...projectOptions(vocabulary),
      ['--out <folder>', 'folder of the handlers', { required: true }],
    ],
    help: `
types.ts has the custom types, and the arguments and answer of each action; it is overwritten. A handler that exists is never changed.

Examples:
  engine action types --metadata metadata --out handlers
  engine action types --metadata metadata --catalog catalog.json --out handlers`,
    run: async () => (await import('../action-types.ts')).actionTypesCommand,
  },
  {
    name: 'build',
    description: 'bundle a project into a file or folder that runs with node alone',
    options: [
      ...projectOptions(vocabulary),
      ['--out <place>', 'a .mjs file, or a folder for it and the generated code', { required: true }],
      ['--roles <list>', 'comma-separated roles to include; the artefact contains nothing about other roles'],
      ['--allow-inconsistent', 'build even if some objects are inconsistent, without them'],
      ['--strict', 'treat unknown metadata keys as errors'],
      [
        '--prove',
        'have PostgreSQL prepare (not run) every generated SQL text; always done with --migrations',
      ],
      ['--check-environment', 'fail if an environment variable used by the metadata is not set'],
      format(...FORMATS),
    ],
    help: `${CATALOGS}

The artefact holds the runtime and the generated code, and no compiler, no metadata, no addresses with passwords. It takes the
options and environment variables of engine serve. The same input gives the same bytes, and the same hash, on any machine.
With --roles, the role admin is left out unless it is listed.

  node server.mjs            serve
  node server.mjs verify     compare the databases with what its SQL uses
  node server.mjs describe   hash, roles, sources, environment variables

Exit status: 0 done, 1 errors in the metadata (nothing is written; see --allow-inconsistent), 2 wrong use.

Examples:
  engine build --metadata metadata --migrations migrations --out dist
  engine build --metadata metadata --catalog catalog.json --roles customer,public --out dist/public.mjs`,
    run: async () => (await import('../build-command.ts')).buildCommand,
  },
  {
    name: 'verify',
    description: 'check live databases against the database objects that compiled SQL uses',
    arguments: { '<place>': 'an artefact (folder or .mjs file), or a folder of generated code' },
    options: [
      ['--source <name=url>', 'address of a source; repeatable', { parse: collectSourceAddress }],
      ['--json', 'print the result as JSON'],
    ],
    help: `
same       tables, columns, keys, types, and the definitions of views, functions and triggers that the SQL uses are as they were
harmless   some changed, but every operation works as it did
redefined  every operation works, and a view, function, trigger or foreign key that it meets is defined otherwise
breaking   operations do not work any more: each is named, with its roles

Objects that no SQL uses do not count. Functions that others call, defaults, CHECK constraints, policies and rows are not compared, nor
is a view's query that another major version of PostgreSQL printed. Every statement is prepared by the database as well, and none is run.

Exit status: 0 same or harmless, 1 redefined or breaking, or a database cannot be reached, 2 wrong use.

Example:
  engine verify dist --database-url postgres://localhost/shop`,
    run: async () => (await import('../verify-command.ts')).verifyPlace,
  },
];
