/** Numbers lose digits, and depth is not bounded, where JSON.parse or YAML read text from outside: `parseExactJson` reads it. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const checkout = new URL('../../', import.meta.url);

/** Files that may read JSON otherwise, and what they read. */
const OWN_TEXTS: Readonly<Record<string, string>> = {
  'compiler/cli/output-folder.ts': 'the manifest of a generated folder',
  'compiler/dev/databases.ts': 'what this program wrote about its databases',
  'compiler/dev/terminal.ts': 'lines of the log of this program',
  'compiler/index.ts': "the package's own description",
  'compiler/phases/1-read/json-positions.ts': 'a key of an object, which is a string',
  'compiler/review/console.ts': 'a saved matrix: names and texts',
  'compiler/review/generated-code/index.ts': 'facts that the compiler wrote: names, hashes and positions',
  'compiler/review/permission-tests/declared.ts': 'names of root fields',
  'compiler/review/permission-tests/request.ts': 'answers that are compared; keys that PostgreSQL wrote',
  'compiler/review/permission-tests/sessions.ts': 'session variables, which are strings',
  'runtime/outgoing/actions/caller.ts': 'a time that PostgreSQL wrote',
  'runtime/outgoing/actions/stored-call.ts': 'error, path and code that this server stored',
  'runtime/database/record/recorded.ts': 'lists of texts that this server recorded',
  'runtime/catalog/describe-native.ts': 'a list of OIDs and a plan that PostgreSQL wrote',
  'runtime/catalog/catalog-file.ts': 'a catalog that this program saved',
  'runtime/catalog/distribution.ts': 'dependencies that PostgreSQL wrote',
  'runtime/catalog/introspect.ts': 'a catalog that PostgreSQL wrote',
  'runtime/configuration/values.ts': 'options of the operator: strings, and numbers of seconds',
  'runtime/console/console.ts': "an answer of this server's other thread",
  'runtime/console/page/api.ts': 'answers that the page shows',
  'runtime/core/join/key.ts': 'one string',
  'runtime/core/join/splice.ts': 'one string',
  'runtime/core/json/exact-json.ts': 'the reader itself',
  'runtime/core/json/scanner.ts': 'one string',
  'runtime/core/mutation/check.ts': 'one string',
  'runtime/core/schema/graphql-schema.ts': "this program's introspection",
  'runtime/core/saved/saved-sql.ts': 'the text of a parameter in a generated file',
  'compiler/offline/embedded-binaries.ts': 'files of a package',
  'runtime/events/scheduled-delivery.ts': 'address, headers and waiting times that this server stored',
  'runtime/events/source-events.ts': 'session variables and trace context, which are strings',
  'runtime/metadata-api/data/select.ts': 'an answer of this server, for names of its keys',
  'runtime/live/socket-log.ts': 'one string',
  'runtime/configuration/package-version.ts': "the package's own description",
  'runtime/metadata-api/thread/host-metadata.ts': "an answer of this server's other thread",
  'runtime/program/manifest.ts': 'the manifest of a generated folder',
};

/** Files that may read YAML, and which. */
const YAML: Readonly<Record<string, string>> = {
  'compiler/cli/collections-command.ts': 'a list of GraphQL texts',
  'compiler/cli/metadata-folder.ts': 'writes only',
  'compiler/cli/role-command.ts': 'names of findings and objects that are allowed',
  'compiler/phases/1-read/yaml-files.ts': 'the reader itself',
  'compiler/phases/1-read/yaml-numbers.ts': 'puts digits back',
  'compiler/review/lint/configuration.ts': 'names of findings and objects',
  'compiler/review/permission-tests/cases.ts': 'cases of tests, with their digits put back',
  'compiler/scaffold/role/insert-yaml.ts':
    'places in a text that stays as it is; the reader reads what came of it',
  'compiler/review/permission-tests/suggest.ts': 'writes cases',
  'compiler/scaffold/role/role-cases.ts': 'writes only',
  'compiler/yaml-problem.ts': 'errors only',
};

function filesWith(pattern: RegExp): string[] {
  return ['compiler', 'runtime']
    .flatMap((folder) =>
      readdirSync(new URL(folder, checkout), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path.replaceAll('\\', '/')}`,
      ),
    )
    .filter(
      (path) =>
        /\.ts$/.test(path) &&
        pattern.test(readFileSync(new URL(path, checkout), 'utf8').replace(/^ *(\*|\/\/|\/\*).*/gm, '')),
    )
    .sort();
}

test('JSON from outside is read by the exact reader', () => {
  expect(filesWith(/\bJSON\.parse\b|\.json\(\)/)).toEqual(Object.keys(OWN_TEXTS).sort());
});

test('YAML from outside is read by the exact reader', () => {
  expect(filesWith(/ from 'yaml'/)).toEqual(Object.keys(YAML).sort());
});

test('GraphQL from outside is parsed with its depth bounded', () => {
  const own = [
    'compiler/cli/action-types.ts',
    'compiler/cli/client-types.ts',
    'compiler/phases/5-emit/remote-relationships.ts',
    'runtime/core/federation/sdl.ts',
    'runtime/core/graphql-text.ts',
    'runtime/core/remotes/introspection.ts',
    'runtime/core/schema/graphql-schema.ts',
  ];
  expect(filesWith(/import \{[^}]*\bparse\b[^}]*\} from 'graphql'/)).toEqual(own);
});
