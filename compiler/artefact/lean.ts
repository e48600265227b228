/** What bundles of programs leave out, because a start would read it and no server uses it. */
import { createRequire, isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** Plugins for packages and for modules of Node. The code has to have a `require`. */
export function lean(): readonly Plugin[] {
  return [leanPackages(), requiredModules()];
}

/** Packages that are imported for what no server does: routes with schemas, requests from tests. */
const UNUSED_PACKAGES = /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/;

/**
 * Packages without what a server never uses, which takes memory and a part of its start:
 * - `undici` has a browser's `fetch`, caches and more beside the one client that calls use. Half of it is left.
 * - `pg` asks first where it runs. On Node.js 20 that makes a `Response`, which loads Node's client for HTTP: 4 MB of an artefact at
 *   its first answer.
 * - `graphql` comes in two forms. Only its modules can be bundled in part; the other form runs as a whole, a fifth of the time
 *   that the code of an artefact runs until it listens. In one form there is one instance, whichever form a package asks for.
 * - `fastify` loads Node's HTTP/2 in case that it is asked for.
 */
function leanPackages(): Plugin {
  return {
    name: 'lean-packages',
    setup: ({ onLoad, onResolve, resolve }) => {
      onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, () => ({ contents: SOCKETS, loader: 'js' }));
      onResolve({ filter: /^graphql(\/.*\.js)?$/ }, ({ path, importer, resolveDir }) => {
        const module = path === 'graphql' ? 'graphql/index.mjs' : path.replace(/\.js$/, '.mjs');
        return resolve(module, { kind: 'import-statement', importer, resolveDir });
      });
      onResolve({ filter: /^node:http2$/ }, ({ path, importer }) =>
        /[\\/]fastify[\\/]lib[\\/]server\.js$/.test(importer) ? { path, namespace: 'unused' } : undefined,
      );
      onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({ contents: HTTP_CLIENT, loader: 'js' }));
      onResolve({ filter: UNUSED_PACKAGES }, ({ path }) => ({ path, namespace: 'unused' }));
      onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: '' }));
    },
  };
}

const HTTP_CLIENT = `exports.Pool = require('./lib/dispatcher/pool');
exports.buildConnector = require('./lib/core/connect');`;

const SOCKETS = `exports.getStream = () => new (require('net').Socket)();
exports.getSecureStream = (options) => require('tls').connect(options);`;

/**
 * Takes modules of Node, and `esbuild`, by `require`. An import reads every property of a module of Node, and some load more when they
 * are read (`webcrypto`, `dns.promises`); of a package in the older form it searches the text for names.
 */
function requiredModules(): Plugin {
  return {
    name: 'required-modules',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === 'import-statement' && (isBuiltin(path) || path === 'esbuild')
          ? { path, namespace: 'required' }
          : undefined,
      );
      onLoad({ filter: /./, namespace: 'required' }, ({ path }) => {
        const module = createRequire(import.meta.url)(path) as object;
        // Names that no module imports are left out, so the file does not depend on the Node.js that builds it.
        const names = Object.keys(module).filter((name) => name !== 'default');
        return {
          contents: [
            `const required = require(${JSON.stringify(path)}), property = (name) => required[name];`,
            'export default required;',
            ...names.map((name) => `export const ${name} = /* @__PURE__ */ property('${name}');`),
          ].join('\n'),
        };
      });
    },
  };
}
