/**
 * An error of a library or of the platform names no place, and not the same thing in every version; `runtime/core/reasons.ts`
 * says it in words of this program. Whoever passes on the message of an error that it caught is listed, with whose message that is.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const checkout = new URL('../../', import.meta.url);

/** Files that pass on the message of an error, and whose it is. */
const PASSED_ON: Readonly<Record<string, string>> = {
  'compiler/cli/audit-live-command.ts': 'EngineError',
  'compiler/cli/cli.ts': 'errors of commands, and of the choice of a vocabulary',
  'compiler/cli/collections-command.ts': 'TooDeep',
  'compiler/cli/compile-command.ts': 'LoadError',
  'compiler/cli/metadata-command.ts': 'errors of the exporter',
  'compiler/cli/metadata-server.ts': 'OutgoingError, which has the words of reasons.ts',
  'compiler/cli/project.ts': 'ConfigurationError',
  'compiler/cli/role-command.ts': 'PathError',
  'compiler/cli/test-command.ts': 'PostgreSQL, with file and line of the SQL of the user',
  'compiler/dev/develop.ts':
    'errors of the configuration, the start and the databases; others with their stack',
  'runtime/console/page/data/answers.ts': 'errors of this server, which the page shows',
  'runtime/console/page/json-object.ts': 'where JSON that the user has typed ends',
  'compiler/dev/terminal.ts': 'lines of the log',
  'compiler/offline/apply.ts': 'PostgreSQL, with file, line and column of a migration',
  'compiler/offline/databases.ts': 'LayoutError',
  'compiler/offline/missing.ts': 'compared only',
  'compiler/offline/proof.ts': 'PostgreSQL, with the place in the metadata of what it refuses',
  'compiler/phases/1-read/actions-sdl.ts': 'the parser, in the words of reasons.ts',
  'compiler/phases/1-read/read-file.ts': 'JsonSyntaxError',
  'compiler/phases/1-read/yaml-files.ts': 'the YAML parser, with file, line and column',
  'compiler/phases/2-introspect/remote-schemas.ts': 'EngineError of the introspection',
  'compiler/phases/3-resolve/action-transform.ts': 'TransformDefinitionError',
  'compiler/phases/3-resolve/remote-served.ts': 'graphql-js, whose check of a schema names type and field',
  'compiler/phases/3-resolve/value.ts': 'EngineError of an encoder',
  'compiler/phases/4-plan/saved-refusal.ts': 'EngineError of the planner',
  'compiler/review/check/operation-changes.ts': 'EngineError; graphql-js of a schema that cannot be made',
  'compiler/review/console.ts': 'GeneratedCodeError',
  'compiler/review/generated-code/index.ts': 'readFactName',
  'compiler/review/generated-code/literals.ts':
    'constructors of the contract, whose messages are for readers of generated code',
  'compiler/review/permission-tests/declared.ts': 'PostgreSQL, of the SQL of a case; EngineError',
  'compiler/review/permission-tests/request.ts': 'EngineError of the planner',
  'compiler/review/permission-tests/rows.ts': 'PostgreSQL, of rows that the tests make up',
  'compiler/review/permission-tests/rule-trial.ts': 'UntriedError',
  'compiler/review/permission-tests/sessions.ts': 'PostgreSQL, of rows that the tests make up',
  'compiler/scaffold/propose-metadata.ts': 'a diagnostic',
  'runtime/outgoing/actions/call.ts': 'AnswerMismatch, OutgoingError and TooDeep',
  'runtime/outgoing/actions/caller.ts': 'compared only',
  'runtime/program/artefact/main.ts': 'errors of the configuration',
  'runtime/database/record/keep-installed.ts': 'PostgreSQL, for the log',
  'runtime/configuration/choose-vocabulary.ts': 'errors of the vocabulary',
  'runtime/configuration/configuration.ts': 'errors of the readers of options',
  'runtime/core/request/document.ts': "DocumentTooDeep; for administrators only, the parser's message",
  'runtime/core/request/planner.ts': 'compared only',
  'runtime/core/schedule/cron.ts': 'CronError',
  'runtime/core/schema/introspection.ts':
    'graphql-js, whose check of an introspection names field and argument',
  'compiler/offline/embedded-binaries.ts': 'the system, behind the sentence and the remedy of each caller',
  'runtime/database/errors.ts':
    'PostgreSQL, under a sentence of its own for each kind of error; ClientGoneError',
  'runtime/database/failures.ts': 'compared only',
  'runtime/database/own-objects.ts': 'PostgreSQL, about an object that the sentence around it names',
  'runtime/events/attempt.ts': 'OutgoingError',
  'runtime/graphql/run-joins.ts': 'MalformedJson of a remote answer',
  'runtime/graphql/run-steps.ts': 'compared only',
  'runtime/http/body.ts': 'TooDeep',
  'runtime/http/completion.ts': 'an error that a handler sent',
  'runtime/http/rest.ts': 'EngineError of the reader of bodies',
  'runtime/live/poller-log.ts': 'errors of the database, and no text at all where values are masked',
  'runtime/live/socket.ts': 'MessageError and InitError; errors of a socket are logged',
  'runtime/observe/logs/last-errors.ts': 'the log',
  'runtime/observe/logs/logger.ts': 'the log',
  'runtime/database/connection-error.ts':
    'EngineError; PostgreSQL, whose refusals of a connection name what is wrong',
  'runtime/metadata-api/change/install-triggers.ts': 'PostgreSQL, behind the object that is in the way',
  'runtime/metadata-api/operations/replace-metadata.ts': 'a diagnostic',
  'runtime/metadata-api/operations/track-tables.ts': 'EngineError',
  'runtime/metadata-api/change/read-sources.ts': 'EngineError of the introspection',
  'runtime/metadata-api/run-sql/execute.ts': 'PostgreSQL, beside the statement of the administrator',
  'runtime/metadata-api/change/run.ts': 'EngineError',
  'runtime/outgoing/error.ts': 'OutgoingError',
  'runtime/program/evaluator.ts': 'Node, of a generated file that the error names',
  'runtime/program/loader.ts': 'TypeScript, of a generated file that the error names',
  'runtime/program/sources.ts': 'EngineError of an address',
  'runtime/metadata-api/thread/project.ts':
    'EngineError, and errors of what writes files, in the words of reasons.ts',
  'runtime/metadata-api/thread/thread-messages.ts': 'hands errors from thread to thread',
  'runtime/outgoing/remote/call.ts': 'OutgoingError',
  'runtime/outgoing/remote/caller.ts': 'MalformedJson; messages of the remote schema itself',
  'runtime/outgoing/remote/introspect.ts': 'MalformedJson and InvalidIntrospection',
  'runtime/graphql/saved/variables.ts': 'TooDeep',
  'runtime/session/authenticate.ts': 'errors of the readers of token configurations',
  'runtime/session/jwt/configuration.ts': 'errors of the readers of token configurations',
  'runtime/session/jwt/remote-keys.ts': 'OutgoingError and errors of the reader of keys, for the log',
  'runtime/session/webhook.ts': 'OutgoingError and errors of the reader of answers, for the log',
  'runtime/server/calls.ts': 'the log',
  'runtime/server/serve-command.ts': 'errors of the configuration and the start; others with their stack',
  'runtime/observe/tracing/settings.ts': 'errors of the readers of options',
  'runtime/observe/tracing/tracing.ts': 'the log',
  'runtime/core/template/evaluate.ts': 'FunctionFailure',
  'runtime/outgoing/validation/validator.ts': 'OutgoingError',
  'runtime/program/verify/verify.ts': 'PostgreSQL, beside the statement that it refuses',
};

const files = ['compiler', 'runtime']
  .flatMap((folder) =>
    readdirSync(new URL(folder, checkout), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  )
  .filter((path) => /\.ts$/.test(path));

function filesWith(pattern: RegExp): string[] {
  return files
    .filter((path) =>
      pattern.test(readFileSync(new URL(path, checkout), 'utf8').replace(/^ *(\*|\/\/|\/\*).*/gm, '')),
    )
    .sort();
}

test('messages of errors are passed on where they are known to be for readers', () => {
  expect(filesWith(/\b(?:error|cause|thrown|failure)\b(?: as \w+\))?(?:\)|\?|!)?\.message\b/)).toEqual(
    Object.keys(PASSED_ON).sort(),
  );
});

test('an error that is caught has a name by which its message is found', () => {
  expect(filesWith(/catch \((?!(?:error|cause|thrown|failure)\b)/)).toEqual([]);
});
