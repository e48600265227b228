import { createServer } from 'node:net';

/** Systems give higher ports to connections and to listeners that ask for any, so one of these stays free until it is used. */
const [FIRST, COUNT] = [20_000, 10_000];

/** Processes that run at once begin far from each other. */
let next = process.pid * 101;

/** A port of this machine on which nothing listens, and that no other call in this process gets. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
