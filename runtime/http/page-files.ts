/**
 * The files of a page in the browser. A build holds them, compressed; in a checkout esbuild bundles them on the first visit
 * (a second or two, once per start). They are read on the first visit and kept in memory.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

type Files = ReadonlyMap<string, Uint8Array>;

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.ttf': 'font/ttf',
};

/**
 * The files of a page, made ready once.
 * @param built folder of the files in a build, each with `.gz` behind its name
 * @param bundle makes them in a checkout
 */
export function pageFiles({
  built,
  bundle,
}: {
  readonly built: URL;
  readonly bundle: () => Promise<Files>;
}): () => Promise<Files> {
  let loaded: Promise<Files> | undefined;
  return async () => {
    loaded ??= import.meta.url.endsWith('.ts') ? bundle() : readBuilt(built);
    try {
      return await loaded;
    } catch (error) {
      loaded = undefined;
      throw error;
    }
  };
}

/** Serves `GET <path>/<file>`. */
export function servePageFiles(app: FastifyInstance, path: string, ready: () => Promise<Files>): void {
  app.get<{ Params: { file: string } }>(`${path}/:file`, async (request, reply) => {
    const { file } = request.params;
    const content = (await ready()).get(file);
    if (content === undefined) return reply.callNotFound();
    return (
      reply
        .header('cache-control', 'no-cache')
        .header('x-content-type-options', 'nosniff')
        // Of a worker this is its own policy.
        .header('content-security-policy', "default-src 'none'; script-src 'self'")
        .type(TYPES[extname(file)] ?? 'application/octet-stream')
        .send(content)
    );
  });
}

async function readBuilt(folder: URL): Promise<Files> {
  const names = await readdir(folder);
  const read = async (name: string) =>
    [name.slice(0, -'.gz'.length), gunzipSync(await readFile(new URL(name, folder)))] as const;
  return new Map(await Promise.all(names.map(read)));
}

/** Text of a JSON value within a script element, which only `<` could end early. */
export function jsonInPage(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
