/**
 * Which addresses the server listens on, and what a person reads when it cannot.
 * @rule Who can reach a server without an admin secret?
 */
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Configuration, isUnprotected, optionVariable } from '../configuration/configuration.ts';
import { EngineError } from '../core/errors.ts';
import { isLoopback } from '../http/foreign-site.ts';
import { StartError } from './start-error.ts';

/** Both, so that the name `localhost` works wherever it leads first. */
const LOOPBACK: Hosts = { first: '127.0.0.1', also: '::1' };
/** One socket for both versions. */
const EVERY: Hosts = { first: '::', instead: '0.0.0.0' };

export interface Hosts {
  readonly first: string;
  /** Listened on as well, on machines that have it. */
  readonly also?: string;
  /** Instead of the first, on machines that lack it. */
  readonly instead?: string;
}

/** What listens, on however many addresses. */
export interface Listening {
  readonly port: number;
  /** Takes no more connections at addresses beside the first. */
  readonly close: () => Promise<void>;
}

/**
 * The addresses that the configuration means. A server that nothing protects is reached from this machine alone, unless both
 * the host and `insecure` say otherwise.
 * @throws EngineError where only one of them does
 */
export function hostsOf(configuration: Configuration): Hosts {
  const { serverHost, insecure } = configuration;
  const open = isUnprotected(configuration);
  if (serverHost === undefined) return open ? LOOPBACK : EVERY;
  if (serverHost.toLowerCase() === 'localhost') return LOOPBACK;
  if (open && !insecure && !isLoopback(serverHost))
    throw new EngineError(
      'invalid-configuration',
      `server-host is ${JSON.stringify(serverHost)}, and there is no admin secret: everybody who reaches the server would be its administrator. ${protect(configuration)}, remove server-host to be reached from this machine only, or give --insecure (${optionVariable('insecure', configuration.vocabulary)}=true) if that is meant`,
    );
  return serverHost === '*' ? EVERY : { first: serverHost };
}

/** The warning of a server that nothing protects; undefined for any other. */
export function openWarning(configuration: Configuration): string | undefined {
  if (!isUnprotected(configuration)) return undefined;
  const { first, also } = hostsOf(configuration);
  const where = isLoopback(first)
    ? `so it listens on this machine only (${also === undefined ? first : `${first} and ${also}`})${configuration.refuseForeignPages ? '' : `; a page of any site that a browser here has open reaches it as well, unless ${optionVariable('refuseForeignPages', configuration.vocabulary)} is true`}`
    : `and it listens on ${first}, as insecure says`;
  return `there is no admin secret: everybody who reaches the server is its administrator, ${where}. ${protect(configuration)}`;
}

function protect({ vocabulary }: Configuration): string {
  return `Set ${optionVariable('adminSecret', vocabulary)}`;
}

/**
 * Listens where the configuration says.
 * @param port instead of the configuration's: one that was listened on already
 * @throws StartError when the port is taken or forbidden
 */
export async function listen(
  app: FastifyInstance,
  configuration: Configuration,
  port = configuration.serverPort,
): Promise<Listening> {
  return explained(port, configuration, () =>
    listening(hostsOf(configuration), port, async (host) => {
      await app.listen({ host, port });
      return app.server;
    }),
  );
}

/** Asks before anything else is started. @throws StartError when the port is taken or forbidden */
export async function requireFreePort(configuration: Configuration): Promise<void> {
  const port = configuration.serverPort;
  const server = createHttpServer();
  const probe = await explained(port, configuration, () =>
    listening(hostsOf(configuration), port, async (host) => {
      await new Promise<void>((listens, failed) => {
        server.once('error', failed);
        server.listen({ host, port }, listens);
      });
      return server;
    }),
  );
  await Promise.all([new Promise((closed) => server.close(closed)), probe.close()]);
}

/** Says what to do about a port that cannot be used. */
async function explained(
  port: number,
  { vocabulary }: Configuration,
  listens: () => Promise<Listening>,
): Promise<Listening> {
  try {
    return await listens();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const choose = `choose another one with --server-port or ${optionVariable('serverPort', vocabulary)}`;
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} is taken by another program: stop it, or ${choose}`);
    if (code === 'EACCES') throw new StartError(`port ${port} may not be used by this user: ${choose}`);
    throw error;
  }
}

/** @param on has a server listen on one address. @throws what listening reports */
export async function listening(
  { first, also, instead }: Hosts,
  port: number,
  on: (host: string, port: number) => Promise<HttpServer>,
): Promise<Listening> {
  let server: HttpServer;
  try {
    server = await on(first, port);
  } catch (error) {
    if (instead === undefined || !isMissing(error)) throw error;
    server = await on(instead, port);
  }
  const taken = (server.address() as AddressInfo).port;
  const others = also === undefined ? [] : await acceptAt(also, taken, server);
  return {
    port: taken,
    close: async () => {
      await Promise.all(others.map((other) => new Promise((closed) => other.close(closed))));
    },
  };
}

/** Hands connections to another address to the server. A machine may lack that address. */
async function acceptAt(host: string, port: number, server: HttpServer): Promise<Server[]> {
  const other = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
  try {
    await new Promise<void>((listening, failed) => {
      other.once('error', failed);
      other.listen({ host, port }, listening);
    });
    return [other];
  } catch (error) {
    if (isMissing(error)) return [];
    server.close();
    throw error;
  }
}

/** The machine lacks the address, or its version of the protocol. */
function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL';
}
