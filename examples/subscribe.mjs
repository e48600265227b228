/**
 * Prints each result of a subscription until Ctrl-C:
 *
 *   node examples/subscribe.mjs 'subscription { … }' [name: value …]
 *
 * The rest are request headers. ENGINE_GRAPHQL_SERVER_PORT is the server's port.
 */
import { WebSocket } from 'ws';

const [query, ...given] = process.argv.slice(2);
const headers = Object.fromEntries(given.map((header) => header.split(/:\s*/, 2)));
const port = process.env.ENGINE_GRAPHQL_SERVER_PORT ?? '8080';
const socket = new WebSocket(`ws://localhost:${port}/v1/graphql`, 'graphql-transport-ws');
const send = (message) => socket.send(JSON.stringify(message));

socket.on('open', () => send({ type: 'connection_init', payload: { headers } }));
socket.on('message', (text) => {
  const { type, payload } = JSON.parse(text);
  if (type === 'connection_ack') send({ type: 'subscribe', id: '1', payload: { query } });
  else if (type === 'ping') send({ type: 'pong' });
  else if (payload) console.log(JSON.stringify(payload));
  if (type === 'complete') socket.close(1000);
});
socket.on('close', (code, reason) => console.error(`closed: ${code} ${reason}`));
socket.on('error', (error) => console.error(error.message));
