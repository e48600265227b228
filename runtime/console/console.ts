/**
 * The console: a page that shows who may do what, and how the server is. It reads what follows, and else only calls the
 * metadata API, as the administrator who opened it.
 *
 * - `GET /` and `GET /console`: the page, without any data; it asks for the admin secret where one is needed
 * - `GET /engine/console/state`: a ConsoleState, from memory
 * - `GET /engine/console/access`: an AccessAnswer, from the program that is served
 * - `GET /engine/console/detail?kind=…&source=…&name=…`: the AccessDetail of one of its lines
 * - `GET /engine/console/variables?role=…`: session variables that rules of the role compare with, as headers
 * - `GET /engine/console/places?kind=…&source=…&name=…`: where that is written
 * - `GET /engine/console/matrix`: what `engine audit matrix --format json` prints
 * - `POST /engine/console/difference`: how that differs from the body, an artefact or such a matrix of another version
 * - `GET /engine/console/who?source=…&table=…&column=…`: every path by which a role reads or writes the column
 * - `GET /engine/console/operations`: the saved operations
 * - `GET /engine/console/operation?collection=…&name=…`: one of them, with what it reads and its SQL
 * - `GET /engine/console/times?collection=…&name=…`: how long it takes, a SavedTimes; null without metrics
 * - `GET /engine/console/metadata`: what is served beside what is stored
 * - `GET /engine/console/inconsistencies`: what is not served, with its place in the metadata
 * - `GET /engine/console/queues`: what waits and what failed of events, schedules and asynchronous actions
 * - `GET /engine/console/calls?action=…`: the last calls of an asynchronous action
 * - `POST /engine/console/why`: what of an operation a role is not offered, and why (why.ts)
 * - `POST /engine/console/proposal`: what the metadata would be after operations that are neither stored nor served, a
 *   ProposalAnswer (proposal-questions.ts)
 * - `POST /engine/console/table`: the TableApi of a table as a role reads and writes it (table-api.ts)
 * - `GET /engine/console/remotes`: the remote schemas, and what uses them
 * - `GET /engine/console/remote?name=…`: a remote schema as its server has it now, beside the one that is served
 */

import { EngineError } from '../core/errors.ts';
import { wordList } from '../core/names.ts';
import type { Program } from '../core/program/program.ts';
import type { Vocabulary } from '../core/vocabulary.ts';
import { parseJson } from '../http/body.ts';
import { adminEndpoint, type Endpoints } from '../http/context.ts';
import { graphiqlFrame } from '../http/graphiql.ts';
import { pageFiles, servePageFiles } from '../http/page-files.ts';
import type { SavedTimes } from '../observe/metrics/saved-times.ts';
import { accessDetail, sessionVariables } from './detail.ts';
import { accessAnswer } from './matrix.ts';
import type { FactsAnswer } from './operator-questions.ts';
import type { AccessObject, ConsoleQuestion, ConsoleState } from './questions.ts';
import { tableApi } from './table-api.ts';
import { whyRefused } from './why.ts';

/** Parameters of a request: each a text, or a list where it was given several times. */
type Given = Readonly<Record<string, unknown>>;

/** The server's state and answers, for the page. */
export interface ConsoleContext {
  readonly state: () => Omit<ConsoleState, 'mode'>;
  /** Answers with JSON. */
  readonly ask: (question: ConsoleQuestion) => Promise<string>;
  /** How long a saved operation takes; absent without metrics. */
  readonly savedTimes: ((collection: string, name: string) => Promise<SavedTimes>) | undefined;
  /** The program that is served. @throws EngineError where there is none yet */
  readonly program: () => Program;
}

/** Nothing from other hosts, no style or script in the page's text, no frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  // GraphiQL, at /console/query with a policy of its own.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = ({ word }: Vocabulary) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="vocabulary" content="${word}">
<title>Engine · Console</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/page.css">
</head>
<body>
<div id="page"></div>
<noscript>The console needs JavaScript.</noscript>
<script type="module" src="/console/page.js"></script>
</body>
</html>
`;

const files = pageFiles({
  built: new URL('assets/', import.meta.url),
  bundle: async () => (await (await import('./bundle.ts')).bundleConsole()).files,
});

export function consoleEndpoints({ state, ask, savedTimes, program }: ConsoleContext): Endpoints {
  return (app, context) => {
    const mode = context.configuration.consoleMode;
    const factsOf = async (schemas: readonly string[]) =>
      (JSON.parse(await ask({ kind: 'facts', schemas })) as FactsAnswer).facts;
    app.get('/console', (_request, reply) =>
      reply
        .header('content-security-policy', POLICY)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .type('text/html; charset=utf-8')
        .send(page(context.configuration.vocabulary)),
    );
    servePageFiles(app, '/console', files);
    graphiqlFrame(app, '/console/query');
    const get = (name: string, answer: (given: Given) => unknown) =>
      adminEndpoint(app, context, 'GET', `/engine/console/${name}`, (_, given) => answer(given));
    const post = (name: string, answer: (body: unknown) => unknown) =>
      adminEndpoint(app, context, 'POST', `/engine/console/${name}`, answer);
    get('state', () => ({ ...state(), mode }));
    get('access', () => accessAnswer(program()));
    get('detail', async (given) => {
      const object = objectOf(requireTexts(given, OBJECT));
      const detail = await accessDetail(program(), object, factsOf);
      if (!detail) throw notFound(`no ${object.kind} "${object.name}" is served`);
      return detail;
    });
    get('variables', (given) => {
      const { role = '' } = requireTexts(given, ['role']);
      return sessionVariables(program(), role);
    });
    get('times', async (given) => {
      const { collection = '', name = '' } = requireTexts(given, ['collection', 'name']);
      return (await savedTimes?.(collection, name)) ?? null;
    });
    for (const kind of ['difference', 'proposal'] as const)
      post(kind, (body) => ask({ kind, text: typeof body === 'string' ? body : '' }));
    post('table', (body) => tableApi(program(), parseJson(body)));
    for (const [name, { parameters, question, missing }] of Object.entries(QUESTIONS))
      get(name, async (query) => {
        const given = requireTexts(query, parameters);
        const answer = await ask(question(given));
        if (answer === 'null') throw notFound(missing?.(given) ?? 'not found');
        return answer;
      });
    post('why', (body) => whyRefused(program(), parseJson(body), context.locate));
  };
}

/** Parameters that name a line of the matrix. */
const OBJECT = ['kind', 'source', 'name'];
const KINDS: readonly string[] = ['table', 'function', 'action', 'remote schema'];

/** @throws EngineError for another kind */
function objectOf({ kind = '', source = '', name = '' }: Readonly<Record<string, string>>): AccessObject {
  if (!KINDS.includes(kind))
    throw new EngineError('bad-request', `kind is one of ${KINDS.join(', ')}`, { path: '$' });
  return { kind: kind as AccessObject['kind'], source, name };
}

function notFound(message: string): EngineError {
  return new EngineError('not-found', message, { path: '$', status: 404 });
}

interface AskedQuestion {
  readonly parameters: readonly string[];
  readonly question: (given: Readonly<Record<string, string>>) => ConsoleQuestion;
  /** Message where the answer is null. */
  readonly missing?: (given: Readonly<Record<string, string>>) => string;
}

/** By the last step of the address. */
const QUESTIONS: Readonly<Record<string, AskedQuestion>> = {
  places: { parameters: OBJECT, question: (given) => ({ kind: 'places', object: objectOf(given) }) },
  matrix: { parameters: [], question: () => ({ kind: 'matrix' }) },
  who: {
    parameters: ['source', 'table', 'column'],
    question: ({ source = '', table = '', column = '' }) => ({ kind: 'who', source, table, column }),
    missing: ({ table, column }) => `no column "${column}" of "${table}" is served`,
  },
  operations: { parameters: [], question: () => ({ kind: 'operations' }) },
  operation: {
    parameters: ['collection', 'name'],
    question: ({ collection = '', name = '' }) => ({ kind: 'operation', collection, name }),
    missing: ({ collection, name }) => `no operation "${name}" is served of the collection "${collection}"`,
  },
  metadata: { parameters: [], question: () => ({ kind: 'metadata' }) },
  inconsistencies: { parameters: [], question: () => ({ kind: 'inconsistencies' }) },
  queues: { parameters: [], question: () => ({ kind: 'queues' }) },
  calls: {
    parameters: ['action'],
    question: ({ action = '' }) => ({ kind: 'calls', action }),
    missing: ({ action }) => `there is no asynchronous action "${action}"`,
  },
  remotes: { parameters: [], question: () => ({ kind: 'remotes' }) },
  remote: {
    parameters: ['name'],
    question: ({ name = '' }) => ({ kind: 'remote', name }),
    missing: ({ name }) => `there is no remote schema "${name}"`,
  },
};

/** @throws EngineError unless each parameter is given, once */
function requireTexts(given: Given, names: readonly string[]): Readonly<Record<string, string>> {
  if (names.some((name) => typeof given[name] !== 'string'))
    throw new EngineError(
      'bad-request',
      `give ${wordList(names)}${names.length > 1 ? ', each once' : ' once'}`,
      {
        path: '$',
      },
    );
  return given as Readonly<Record<string, string>>;
}
