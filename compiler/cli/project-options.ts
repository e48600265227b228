/** Options of the commands that compile a project. */
import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { vocabulary } from '../../runtime/core/vocabulary.ts';
import { readStubs, StubError } from '../offline/stubs.ts';
import { UsageError } from './command.ts';

/** Says of every such command where catalogs come from. */
export const CATALOGS = `
The catalog of a source is read from the first of: --source, --catalog, --migrations, the address in the metadata. If none of the
options is given and the variable of the address is not set, the folder migrations or else the file catalog.json is used, if it exists.

--migrations applies SQL files to an embedded PostgreSQL that lives as long as the command: no database, no container, no
network. The folder is that of a migration tool (folders with up.sql or migration.sql, numbered .sql files, Flyway, dbmate, goose,
Sqitch …) or holds a dump; with several sources a folder for each, called like the source. Migrations that need PostGIS are applied
to an embedded database that has it, if its packages are installed (engine explain extension-unavailable). Other extensions can
be replaced by stubs (--stub-extension).

--scratch applies them to databases on that server instead, for extensions such as vector or pg_cron: databases of their own, which
are dropped in the end, with the roles that the migrations made. Name a throw-away server whose user may do so.`;

const SCRATCH =
  'throw-away server for --migrations, instead of the embedded PostgreSQL; databases are created and dropped there';

/** The metadata that a command reads. A folder `metadata` needs no naming. */
export function metadataOption(description = 'JSON or YAML file, or directory of YAML files'): Option {
  const option = new Option('--metadata <path>', `${description}; default: metadata, if it exists`);
  return existsSync('metadata') ? option.default('metadata', 'metadata') : option.makeOptionMandatory();
}

/** Values of an option that may be given several times. */
export function collect(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}

/** Stubs by extension, as `--stub-extension` names them. @throws UsageError */
export function stubsOf(given: readonly string[]): Map<string, string> {
  try {
    return readStubs(given);
  } catch (error) {
    if (error instanceof StubError) throw new UsageError(error.message);
    throw error;
  }
}

/** Adds the options of migrations, besides their folder. */
export function addMigrationOptions(command: Command): Command {
  return command
    .option('--scratch <url>', SCRATCH)
    .option(
      '--stub-extension <name[=file]>',
      'install a stub of an extension that the embedded PostgreSQL lacks: SQL that declares its types and functions; repeatable',
      collect,
    );
}

/** Adds the options on which names depend. */
export function addNamingOptions(command: Command): Command {
  return command
    .option('--experimental-features <list>', 'comma-separated features to enable, such as naming_convention')
    .option('--default-naming-convention <name>', `${vocabulary().defaultNaming} or graphql-default`);
}

/** Adds the options that select a project. */
export function addProjectOptions(command: Command): Command {
  command
    .addOption(metadataOption())
    .option(
      '--migrations <folder>',
      'SQL migrations to apply to an embedded PostgreSQL, instead of reading the databases',
    );
  addMigrationOptions(command)
    .option('--catalog <file>', 'saved catalog (see engine introspect), instead of reading the databases')
    .option(
      '--source <name=url>',
      'connection string of a source, overriding the metadata; repeatable',
      sourceAddress,
    );
  return addNamingOptions(command);
}

/** Collects `NAME=URL`. @throws UsageError */
export function sourceAddress(
  text: string,
  addresses: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  // The text may hold a password: an error of commander's own would repeat it.
  if (at < 1) throw new UsageError('The value of --source is written NAME=URL.');
  return new Map(addresses).set(text.slice(0, at), text.slice(at + 1));
}
