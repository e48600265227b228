/** @graphql-hive/gateway over the users and the posts, in one process, from the folder of other gateways. */
import { createServer, type RequestListener } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { GatewayOptions } from '../gateways.ts';
import { supergraph } from '../remote-services.ts';
import { serveMeasured } from './measured.ts';

serveMeasured(async ({ folder, ...addresses }: GatewayOptions) => {
  process.env.NODE_ENV = 'production';
  const { createGatewayRuntime } = createRequire(join(folder, 'package.json'))('@graphql-hive/gateway') as {
    createGatewayRuntime: (options: object) => RequestListener & { dispose(): Promise<void> };
  };
  const gateway = createGatewayRuntime({
    supergraph: supergraph(addresses),
    graphqlEndpoint: '/graphql',
    logging: false,
  });
  const server = createServer(gateway);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      process.exit();
    },
  };
});
