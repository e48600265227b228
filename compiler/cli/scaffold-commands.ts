/** The commands that begin a project and its roles: init, role. */
import type { Command } from 'commander';
import type { CommandContext } from './command.ts';
import { addProjectOptions, CATALOGS, collect } from './project-options.ts';

/** Adds the commands to the command line; each loads what it needs when it runs. */
export function addScaffoldCommands(
  program: Command,
  context: CommandContext,
  finish: (status: number) => void,
): void {
  program
    .command('init')
    .description(
      'write a project that serves a database: metadata, catalog, tests, a workflow; no permissions',
    )
    .option('--out <folder>', 'folder of the project', '.')
    .option('--schema <name...>', 'serve only these schemas of the database')
    .addHelpText(
      'after',
      `
Tables, views and functions that return rows are served, with relationships by foreign keys in both directions. What GraphQL cannot
name gets another name; what cannot be served is left out. Both are printed, and written to left-out.md.

The database is that of --database-url, or of the environment. Its address is written to .env, which .gitignore names, and to no
other file. Without an address the project begins with a first migration, which is applied to an embedded PostgreSQL.

Nothing is overwritten: if one of the files exists, the command names it and writes nothing.

Examples:
  engine init --database-url postgres://localhost/shop
  engine init --database-url postgres://localhost/shop --schema public sales --out api
  engine init --out first`,
    )
    .action(async (_options, command: Command) => {
      const { initCommand } = await import('./init-command.ts');
      finish(await initCommand(command.optsWithGlobals(), context));
    });
  addRole(program, context, finish);
}

function addRole(program: Command, context: CommandContext, finish: (status: number) => void): void {
  const role = program
    .command('role')
    .description('propose the permissions of a role by whose the rows are, and show what a role may do');
  addProjectOptions(
    role
      .command('add')
      .description(
        'follow foreign keys to the owner of each row, and propose rules; --write puts them into the metadata',
      )
      .argument('<role>', 'name of the role'),
  )
    .option('--owner <column=variable>', 'who the user is: SCHEMA.TABLE.COLUMN=X-Engine-User-Id')
    .option('--tenant <column=variable>', 'who the tenant is: SCHEMA.TABLE.COLUMN=X-Engine-Org-Id')
    .option(
      '--path <table=constraint>',
      'choose the way of a table: TABLE=CONSTRAINT[.CONSTRAINT]; repeatable',
      collect,
    )
    .option('--write', 'put the permissions into the files of the metadata, with a case for each')
    .option('--cases <folder>', 'folder for the cases', 'tests')
    .addHelpText(
      'after',
      `${CATALOGS}

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
    )
    .action(async (name: string, _options, command: Command) => {
      const { roleAddCommand } = await import('./role-command.ts');
      finish(await roleAddCommand(name, command.optsWithGlobals(), context));
    });
  addProjectOptions(
    role.command('show').description("print a role's ledger").argument('<role>', 'name of the role'),
  )
    .addHelpText(
      'after',
      `${CATALOGS}

Prints what generated/roles/ROLE.txt says, of the metadata as it is now.

Example:
  engine role show user --metadata metadata --catalog catalog.json`,
    )
    .action(async (name: string, _options, command: Command) => {
      const { roleShowCommand } = await import('./role-command.ts');
      finish(await roleShowCommand(name, command.optsWithGlobals(), context));
    });
}
