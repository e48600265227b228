/**
 * The GraphiQL page and its like within the console, made of nothing but installed packages. Their content security policy forbids
 * them to load anything from elsewhere.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Vocabulary } from '../core/vocabulary.ts';
import { jsonInPage, pageFiles, servePageFiles } from './page-files.ts';

/** A role that the page offers: the headers it sends and a query to begin with. */
export interface GraphiqlRole {
  readonly name: string;
  /** One line: who that is. */
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
}

export interface GraphiqlOptions {
  /** The one that headers are written in. */
  readonly vocabulary: Vocabulary;
  /** The first one is chosen on the first visit. Without any the page offers the administrator. */
  readonly roles?: readonly GraphiqlRole[];
}

const administrator: GraphiqlRole = {
  name: 'admin',
  description: 'Sees everything that is tracked',
  headers: { 'x-engine-role': 'admin' },
  query: '{\n  __schema {\n    queryType {\n      fields {\n        name\n      }\n    }\n  }\n}\n',
};

/** Fastify plugin: `GET /graphiql` is the page, `GET /graphiql/<file>` what it loads. */
export async function graphiql(server: FastifyInstance, options: GraphiqlOptions): Promise<void> {
  const { vocabulary } = options;
  const roles = options.roles?.length ? options.roles : [administrator];
  const settings = {
    endpoint: '/v1/graphql',
    roles: roles.map((role) => ({ ...role, headers: vocabulary.session(role.headers) })),
  };
  server.get('/graphiql', (_request, reply) => {
    const entry = { path: '/graphiql', name: 'page', settings };
    return sendEditor(reply, entry, ["connect-src 'self'", "frame-ancestors 'none'"]);
  });
  servePageFiles(server, '/graphiql', editorFiles);
}

/** `GET <path>` is GraphiQL for a frame of the console, which runs its operations: the frame may connect to nothing. */
export function graphiqlFrame(server: FastifyInstance, path: string): void {
  server.get(path, (_request, reply) =>
    sendEditor(reply, { path, name: 'frame', settings: {} }, ["frame-ancestors 'self'"]),
  );
  servePageFiles(server, path, editorFiles);
}

/** One bundle for both pages. */
const editorFiles = pageFiles({
  built: new URL('graphiql/assets/', import.meta.url),
  bundle: async () => (await (await import('./graphiql/bundle.ts')).bundlePage()).files,
});

/**
 * The editor places its lines by style attributes and makes style elements, which get the nonce of the page. Nothing else is laxer
 * than in the console.
 */
function sendEditor(reply: FastifyReply, entry: Entry, policy: readonly string[]): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const all = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src-elem 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    'img-src data:',
    "font-src 'self' data:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...policy,
  ];
  return reply
    .header('content-security-policy', all.join('; '))
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .type('text/html; charset=utf-8')
    .send(renderPage(entry, nonce));
}

interface Entry {
  /** Of the page; its files are below. */
  readonly path: string;
  /** Of the script and the style sheet. */
  readonly name: string;
  readonly settings: object;
}

function renderPage({ path, name, settings }: Entry, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Engine · GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${path}/${name}.css">
</head>
<body>
<div id="page"><div class="engine-loading">Preparing the page, a moment …</div></div>
<script type="application/json" id="settings" nonce="${nonce}">${jsonInPage(settings)}</script>
<script type="module" src="${path}/${name}.js"></script>
</body>
</html>
`;
}
