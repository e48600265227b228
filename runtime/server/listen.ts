/** Which address the server listens on, and what a person reads when it cannot. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { vocabulary } from '../core/vocabulary.ts';
import { StartError } from './start-error.ts';

/**
 * Listens where the configuration says.
 * @param port instead of the configuration's: one that was listened on already
 * @returns the port
 * @throws StartError when the port is taken or forbidden
 */
export async function listen(
  app: FastifyInstance,
  { serverHost, serverPort }: Configuration,
  port = serverPort,
): Promise<number> {
  await listening({ serverHost, serverPort: port }, (host) => listenOn(app, host, port));
  return (app.server.address() as AddressInfo).port;
}

/** @param on listens on one address */
export async function listening<Result>(
  { serverHost, serverPort }: Pick<Configuration, 'serverHost' | 'serverPort'>,
  on: (host: string, port: number) => Promise<Result>,
): Promise<Result> {
  try {
    return await on(serverHost === '*' ? '::' : serverHost, serverPort);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (serverHost !== '*' || (code !== 'EAFNOSUPPORT' && code !== 'EADDRNOTAVAIL')) throw error;
    // A machine without IPv6.
    return on('0.0.0.0', serverPort);
  }
}

async function listenOn(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const choose = `choose another one with --server-port or ${vocabulary().environment('SERVER_PORT')}`;
    if (code === 'EADDRINUSE')
      throw new StartError(`port ${port} is taken by another program: stop it, or ${choose}`);
    if (code === 'EACCES') throw new StartError(`port ${port} may not be used by this user: ${choose}`);
    throw error;
  }
}
