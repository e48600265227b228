/**
 * The GraphiQL page, made of nothing but installed packages. Its content security policy forbids it to load anything from elsewhere.
 */
import type { FastifyInstance } from 'fastify';
import { vocabulary } from '../core/vocabulary.ts';
import { jsonInPage, servePageFiles } from './page-files.ts';

/** A role that the page offers: the headers it sends and a query to begin with. */
export interface GraphiqlRole {
  readonly name: string;
  /** One line: who that is. */
  readonly description: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
}

export interface GraphiqlOptions {
  /** The first one is chosen on the first visit. Without any the page offers the administrator. */
  readonly roles?: readonly GraphiqlRole[];
}

const administrator: GraphiqlRole = {
  name: 'admin',
  description: 'Sees everything that is tracked',
  headers: { 'x-engine-role': 'admin' },
  query: '{\n  __schema {\n    queryType {\n      fields {\n        name\n      }\n    }\n  }\n}\n',
};

const contentSecurityPolicy = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** Fastify plugin: `GET /graphiql` is the page, `GET /graphiql/<file>` what it loads. */
export async function graphiql(server: FastifyInstance, options: GraphiqlOptions): Promise<void> {
  const roles = options.roles?.length ? options.roles : [administrator];
  const page = renderPage({
    endpoint: '/v1/graphql',
    roles: roles.map((role) => ({ ...role, headers: vocabulary().session(role.headers) })),
  });

  server.get('/graphiql', async (_request, reply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .type('text/html; charset=utf-8')
      .send(page),
  );

  servePageFiles(server, '/graphiql', {
    built: new URL('graphiql/assets/', import.meta.url),
    bundle: async () => (await (await import('./graphiql/bundle.ts')).bundlePage()).files,
  });
}

function renderPage(settings: { endpoint: string; roles: readonly GraphiqlRole[] }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Engine · GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/graphiql/page.css">
</head>
<body>
<div id="page"><div class="engine-loading">Preparing the page, a moment …</div></div>
<script type="application/json" id="settings">${jsonInPage(settings)}</script>
<script type="module" src="/graphiql/page.js"></script>
</body>
</html>
`;
}
