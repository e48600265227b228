/** @mercuriusjs/gateway over the users and the posts, from the folder of other gateways. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { GatewayOptions } from '../gateways.ts';
import { serveMeasured } from './measured.ts';

interface App {
  register(plugin: unknown, options: object): unknown;
  listen(options: object): Promise<string>;
  close(): Promise<void>;
}

serveMeasured(async ({ folder, users, posts }: GatewayOptions) => {
  process.env.NODE_ENV = 'production';
  const load = createRequire(join(folder, 'package.json'));
  const app = (load('fastify') as (options: object) => App)({ forceCloseConnections: true });
  const gateway = load('@mercuriusjs/gateway') as unknown;
  app.register(gateway, {
    gateway: {
      services: [
        { name: 'users', url: users },
        { name: 'posts', url: posts },
      ],
    },
  });
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: Number(new URL(address).port), stop: () => app.close() };
});
