/**
 * The GraphiQL page, made of nothing but installed packages. A build holds its files, compressed; in a checkout esbuild bundles them on
 * the first visit (about two seconds, once per start). They are read on the first visit and kept in memory. The page's
 * content security policy forbids it to load anything from elsewhere.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

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

type Assets = ReadonlyMap<string, Uint8Array>;

const administrator: GraphiqlRole = {
  name: 'admin',
  description: 'Sees everything that is tracked',
  headers: { 'x-engine-role': 'admin' },
  query: '{\n  __schema {\n    queryType {\n      fields {\n        name\n      }\n    }\n  }\n}\n',
};

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
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
  const page = renderPage({ endpoint: '/v1/graphql', roles });
  let loaded: Promise<Assets> | undefined;

  server.get('/graphiql', async (_request, reply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .type('text/html; charset=utf-8')
      .send(page),
  );

  server.get<{ Params: { file: string } }>('/graphiql/:file', async (request, reply) => {
    loaded ??= loadAssets();
    let assets: Assets;
    try {
      assets = await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
    const { file } = request.params;
    const content = assets.get(file);
    if (content === undefined) return reply.callNotFound();
    return reply
      .header('cache-control', 'no-cache')
      .type(contentTypes[extname(file)] ?? 'application/octet-stream')
      .send(content);
  });
}

function renderPage(settings: { endpoint: string; roles: readonly GraphiqlRole[] }): string {
  // Inside a script element only "<" could end the text early.
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
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
<script type="application/json" id="settings">${json}</script>
<script type="module" src="/graphiql/page.js"></script>
</body>
</html>
`;
}

async function loadAssets(): Promise<Assets> {
  if (import.meta.url.endsWith('.ts'))
    return (await (await import('./graphiql/bundle.ts')).bundlePage()).files;
  const folder = new URL('graphiql/assets/', import.meta.url);
  const names = await readdir(folder);
  return new Map(
    await Promise.all(
      names.map(
        async (name) =>
          [name.slice(0, -'.gz'.length), gunzipSync(await readFile(new URL(name, folder)))] as const,
      ),
    ),
  );
}
