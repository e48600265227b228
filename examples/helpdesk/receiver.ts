/**
 * What the help desk's webhooks call: a receiver that prints each event, and answers actions. `npm start` runs it beside the server and gives the
 * server its address and a secret of the day, as `HELPDESK_HOOKS` and `HELPDESK_HOOKS_SECRET`.
 */
import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/** Handles a call; what it returns is the answer. */
// biome-ignore lint/suspicious/noExplicitAny: a body is as docs/events.md says.
type Handler = (body: any, print: (line: string) => void) => unknown;

/** By path. An event may come twice, so a receiver that does more than print keeps the ids that it has seen. */
const HANDLERS: Readonly<Record<string, Handler>> = {
  '/article-rated': ({ event: { op, data } }, print) => {
    const { article_id, is_helpful, comment } = data.new;
    const rating = `${is_helpful ? 'helpful' : 'not helpful'}${comment ? `, ${JSON.stringify(comment)}` : ''}`;
    print(`event article_rated (${op}): article ${article_id} is ${rating}`);
  },
  '/every-minute': ({ name, scheduled_time }, print) => {
    print(`cron ${name}: planned for ${scheduled_time}`);
  },
  '/suggest-reply': ({ input: { ticket_id } }, print) => {
    print(`action suggest_reply: ticket ${ticket_id}`);
    return { ticket_id, text: 'Thank you for writing to us. We are looking into it.' };
  },
  // Only rows of the caller's tenant would go into the file: session_variables says which one that is.
  '/export-tickets': ({ input: { since }, session_variables }, print) => {
    const tenant = session_variables['x-engine-tenant-id'];
    print(`action export_tickets: tenant ${tenant}, since ${since}`);
    return { url: `https://files.help.example/${tenant}/tickets-${since}.csv`, since };
  },
};

/** @param secret refuses calls whose `X-Helpdesk-Secret` is another */
export async function startReceiver(secret: string, print: (line: string) => void): Promise<Receiver> {
  const answer = async (request: IncomingMessage): Promise<[status: number, body: unknown]> => {
    if (!isSame(String(request.headers['x-helpdesk-secret']), secret))
      return [401, { message: 'unknown caller' }];
    const handle = HANDLERS[request.url ?? ''];
    if (request.method !== 'POST' || handle === undefined) return [404, { message: 'nothing is here' }];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    return [200, handle(JSON.parse(Buffer.concat(chunks).toString()), print) ?? {}];
  };
  const server = createServer((request, response) => {
    answer(request)
      .catch((): [number, unknown] => [400, { message: 'the body cannot be read' }])
      .then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** In the same time for every wrong secret. */
function isSame(given: string, secret: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(secret)];
  return left.length === right.length && timingSafeEqual(left, right);
}
