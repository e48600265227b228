/** The files of a new project, beside its metadata: how to run it, what it needs, what tests it. */
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { Note, ProposedMetadata } from './propose-metadata.ts';

/** Where a project has its catalog from: options of the commands, and what they mean. */
export interface CatalogPlace {
  readonly option: string;
  /** A line of the README on how it is kept up to date. */
  readonly upkeep: string;
}

export const SAVED_CATALOG: CatalogPlace = {
  option: '--catalog catalog.json',
  upkeep:
    'When the database has changed: `npx engine introspect --metadata metadata --out catalog.json`, then compile.',
};

export const MIGRATIONS: CatalogPlace = {
  option: '--migrations migrations',
  upkeep:
    'Change the schema by another file in `migrations/`, then compile. Apply the files to your database as well.',
};

/** Path → text, without `metadata/`. */
export function projectFiles(
  proposed: ProposedMetadata,
  place: CatalogPlace,
  vocabulary: Vocabulary,
): Map<string, string> {
  return new Map([
    ['.env.example', environmentExample(vocabulary)],
    ['.gitignore', '.engine/\n.env\nnode_modules/\n'],
    ['.github/workflows/engine.yml', workflow(place)],
    ['README.md', readme(place)],
    ['left-out.md', `# What is not served as it is\n\n${notesText(proposed)}`],
    ['tests/nobody.yaml', exampleTest(proposed)],
  ]);
}

/** One list of what is served otherwise or not at all, as it is printed and written. */
export function notesText({ leftOut, renamed }: Pick<ProposedMetadata, 'leftOut' | 'renamed'>): string {
  const list = (title: string, notes: readonly Note[]) =>
    notes.length === 0
      ? ''
      : `${title} (${notes.length}):\n\n${notes.map(({ object, text }) => `- ${object}: ${text.replaceAll('\n', ' ')}`).join('\n')}\n`;
  const parts = [list('Left out', leftOut), list('Under another name', renamed)].filter(Boolean);
  return parts.length === 0 ? 'Everything is served, under its own name.\n' : parts.join('\n');
}

/** `.env`, which is not committed. */
export function environmentFile(url: string, secret: string, vocabulary: Vocabulary): string {
  const { database, admin } = variables(vocabulary);
  // A shell reads it, and Node (--env-file).
  return `${database}='${url.replaceAll("'", '%27')}'\n${admin}='${secret}'\n`;
}

function environmentExample(vocabulary: Vocabulary): string {
  const { database, admin } = variables(vocabulary);
  return `# Copy to .env, which is not committed.\n${database}='postgres://user:password@localhost:5432/database'\n${admin}='a long random text'\n`;
}

function variables(vocabulary: Vocabulary) {
  return {
    database: vocabulary.environment('DATABASE_URL'),
    admin: vocabulary.environment('ADMIN_SECRET'),
  };
}

function readme({ upkeep }: CatalogPlace): string {
  return `# GraphQL API of a PostgreSQL database

- \`npx engine dev\` serves it on this machine while you edit it: http://localhost:8080/graphiql, http://localhost:8080/console.
- \`npx engine compile --out generated\` writes the code that serves the API: read it, commit it.
- \`set -a; . ./.env; set +a; npx engine serve --generated generated --server-host 127.0.0.1 --graphiql\` serves it at http://localhost:8080/graphiql. \`.env\` holds the address of the database and the secret of the administrator; \`.env.example\` shows its form.
- \`npx engine role add user --owner TABLE.COLUMN=X-Engine-User-Id\` proposes what a role may read and write. Until then only the administrator may do anything.
- \`npx engine lint\` and \`npx engine test --cases tests\` check permissions; \`.github/workflows/engine.yml\` does so for every change.
- ${upkeep}
- \`left-out.md\` lists what the database has and the API has not, or has under another name.
`;
}

function workflow({ option }: CatalogPlace): string {
  return `name: engine
on:
  pull_request:
  push:
    branches: [main]

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 20
          cache: npm
      - run: npm ci
      - run: npx engine compile --metadata metadata ${option} --out generated --check --format annotations
      - run: npx engine lint --metadata metadata ${option} --format annotations
      - run: npx engine test --metadata metadata ${option} --cases tests
`;
}

/** A case that holds whatever roles are added: who has no permission is offered nothing. */
function exampleTest({ types }: ProposedMetadata): string {
  const [type] = types;
  const head = `# Cases of \`engine test\`: a role, what it asks, what is to come of it. \`engine test --help\` shows more.\n`;
  if (type === undefined) return `${head}[]\n`;
  return `${head}- name: A role without permissions is offered nothing
  role: nobody
  types: { ${type}: null, ${type}_insert_input: null }
`;
}
