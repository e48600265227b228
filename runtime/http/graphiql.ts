/**
 * The GraphiQL page, made of nothing but installed packages. esbuild bundles it on the first visit (about two seconds,
 * once a start) and keeps the files in memory; a server whose page nobody opens pays nothing. The page is forbidden, by
 * its content security policy, to load anything from elsewhere.
 */
import { createRequire } from 'node:module';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  let bundled: Promise<Assets> | undefined;

  server.get('/graphiql', async (_request, reply) =>
    reply
      .header('content-security-policy', contentSecurityPolicy)
      .type('text/html; charset=utf-8')
      .send(page),
  );

  server.get<{ Params: { file: string } }>('/graphiql/:file', async (request, reply) => {
    bundled ??= bundle();
    let assets: Assets;
    try {
      assets = await bundled;
    } catch (error) {
      bundled = undefined;
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

async function bundle(): Promise<Assets> {
  const { build } = await import('esbuild');
  // Monaco belongs to @graphiql/react; its workers must be of the very same copy.
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@graphiql/react/package.json'));
  const result = await build({
    entryPoints: {
      page: fileURLToPath(new URL('graphiql/page.jsx', import.meta.url)),
      'editor-worker': resolve('monaco-editor/esm/vs/editor/editor.worker.js'),
      'json-worker': resolve('monaco-editor/esm/vs/language/json/json.worker.js'),
      'graphql-worker': resolve('monaco-graphql/esm/graphql.worker.js'),
    },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    outdir: 'graphiql',
    write: false,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.ttf': 'file', '.woff2': 'dataurl' },
  });
  return new Map(result.outputFiles.map((file) => [basename(file.path), file.contents]));
}
