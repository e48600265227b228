/**
 * The console: a page that shows who may do what, and how the server is. It reads what follows, and else only calls the
 * metadata API, as the administrator who opened it.
 *
 * - `GET /` and `GET /console`: the page, without any data; it asks for the admin secret where one is needed
 * - `GET /engine/console/state`: a ConsoleState, from memory
 * - `GET /engine/console/access`: an AccessAnswer
 * - `GET /engine/console/who?source=…&table=…&column=…`: every path by which a role reads or writes the column
 */
import { EngineError } from '../core/errors.ts';
import { vocabulary } from '../core/vocabulary.ts';
import { authenticateAdmin, type Endpoints, sendJson } from '../http/context.ts';
import { servePageFiles } from '../http/page-files.ts';
import type { ConsoleQuestion, ConsoleState } from './questions.ts';

/** The server's state and answers, for the page. */
export interface ConsoleContext {
  readonly state: () => Promise<Omit<ConsoleState, 'mode'>>;
  /** Answers with JSON. */
  readonly ask: (question: ConsoleQuestion) => Promise<string>;
}

/** Nothing from other hosts, no style or script in the page's text, no frames. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="vocabulary" content="${vocabulary().word}">
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

export function consoleEndpoints({ state, ask }: ConsoleContext): Endpoints {
  return (app, context) => {
    const mode = context.configuration.consoleMode;
    app.get('/', (_request, reply) => reply.redirect('/console', 302));
    app.get('/console', (_request, reply) =>
      reply
        .header('content-security-policy', POLICY)
        .header('x-content-type-options', 'nosniff')
        .header('referrer-policy', 'no-referrer')
        .type('text/html; charset=utf-8')
        .send(page()),
    );
    servePageFiles(app, '/console', {
      built: new URL('assets/', import.meta.url),
      bundle: async () => (await (await import('./bundle.ts')).bundleConsole()).files,
    });
    app.get('/engine/console/state', async (request, reply) => {
      await authenticateAdmin(context, request);
      return sendJson(reply, JSON.stringify({ ...(await state()), mode }));
    });
    app.get('/engine/console/access', async (request, reply) => {
      await authenticateAdmin(context, request);
      return sendJson(reply, await ask({ kind: 'access' }));
    });
    app.get<{ Querystring: Readonly<Record<string, unknown>> }>(
      '/engine/console/who',
      async (request, reply) => {
        await authenticateAdmin(context, request);
        const { source, table, column } = request.query;
        if (typeof source !== 'string' || typeof table !== 'string' || typeof column !== 'string')
          throw new EngineError('bad-request', 'give source, table and column, each once', { path: '$' });
        const answer = await ask({ kind: 'who', source, table, column });
        if (answer === 'null')
          throw new EngineError('not-found', `no column "${column}" of "${table}" is served`, {
            path: '$',
            status: 404,
          });
        return sendJson(reply, answer);
      },
    );
  };
}
