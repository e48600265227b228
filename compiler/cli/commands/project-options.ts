/** Options of the commands that compile a project. */

import { existsSync } from 'node:fs';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { UsageError } from '../command.ts';
import type { OptionDeclaration } from './declaration.ts';

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

/** The metadata that a command reads. A folder `metadata` needs no naming. */
export function metadataOption(
  description = 'JSON or YAML file, or directory of YAML files',
): OptionDeclaration {
  const help = `${description}; default: metadata, if it exists`;
  return ['--metadata <path>', help, existsSync('metadata') ? { default: 'metadata' } : { required: true }];
}

/** Values of an option that may be given several times. */
export function collect(text: string, texts: readonly string[] = []): readonly string[] {
  return [...texts, text];
}

/** Options of migrations, besides their folder. */
export const MIGRATION_OPTIONS: readonly OptionDeclaration[] = [
  [
    '--scratch <url>',
    'throw-away server for --migrations, instead of the embedded PostgreSQL; databases are created and dropped there',
  ],
  [
    '--stub-extension <name[=file]>',
    'install a stub of an extension that the embedded PostgreSQL lacks: SQL that declares its types and functions; repeatable',
    { parse: collect },
  ],
];

/** Options on which names depend. */
export const namingDeclarations = (vocabulary: Vocabulary): readonly OptionDeclaration[] => [
  ['--experimental-features <list>', 'comma-separated features to enable, such as naming_convention'],
  ['--default-naming-convention <name>', `${vocabulary.defaultNaming} or graphql-default`],
];

/** Options that select a project. */
export const projectOptions = (vocabulary: Vocabulary): readonly OptionDeclaration[] => [
  metadataOption(),
  [
    '--migrations <folder>',
    'SQL migrations to apply to an embedded PostgreSQL, instead of reading the databases',
  ],
  ...MIGRATION_OPTIONS,
  ['--catalog <file>', 'saved catalog (see engine introspect), instead of reading the databases'],
  [
    '--source <name=url>',
    'connection string of a source, overriding the metadata; repeatable',
    { parse: collectSourceAddress },
  ],
  ...namingDeclarations(vocabulary),
];

/** Collects `NAME=URL`. @throws UsageError */
export function collectSourceAddress(
  text: string,
  addresses: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const at = text.indexOf('=');
  // The text may hold a password: an error of commander's own would repeat it.
  if (at < 1) throw new UsageError('The value of --source is written NAME=URL.');
  return new Map(addresses).set(text.slice(0, at), text.slice(at + 1));
}
