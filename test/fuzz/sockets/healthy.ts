/** A client that behaves: it must be served whatever the others do. */
import WebSocket from 'ws';

/** Milliseconds that it waits on a busy machine. */
const TIMEOUT = 30_000;

/** Subscribes and asks, over a socket and over HTTP. @throws Error when it is not served */
export async function askAsHealthyClient(port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ note(where: {id: {_eq: 20}}) { id } }"}',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const text = await answer.text();
  if (text !== '{"data":{"note":[{"id":20}]}}')
    throw new Error(`a healthy request was answered with ${text}`);
  await subscribe(port);
}

function subscribe(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/graphql`, 'graphql-transport-ws');
    const end = (problem?: string) => {
      clearTimeout(timer);
      socket.terminate();
      if (problem === undefined) resolve();
      else reject(new Error(`a healthy subscription ${problem}`));
    };
    const timer = setTimeout(() => end('got nothing'), TIMEOUT);
    socket.on('error', (error) => end(`failed: ${error.message}`));
    socket.on('close', (code) => end(`was closed with ${code}`));
    socket.on('open', () => {
      socket.send('{"type":"connection_init"}');
      socket.send(
        '{"type":"subscribe","id":"1","payload":{"query":"subscription { note_by_pk(id: 20) { id } }"}}',
      );
    });
    socket.on('message', (data) => {
      const message = data.toString();
      if (message === '{"type":"next","id":"1","payload":{"data":{"note_by_pk":{"id":20}}}}') end();
      else if (message.includes('"type":"error"') || message.includes('"errors"')) end(`got ${message}`);
    });
  });
}
