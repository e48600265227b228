/** The floor of a start: bare node:http and one `pg` client that runs one statement. Plain JavaScript, loaded as it is. */
import { createServer } from 'node:http';
import pg from 'pg';

const client = new pg.Client({ connectionString: process.env.ENGINE_GRAPHQL_DATABASE_URL });
await client.connect();
createServer(async (_request, response) => {
  const { rows } = await client.query({ text: 'select 1', rowMode: 'array' });
  response.end(JSON.stringify({ data: rows }));
}).listen(Number(process.env.ENGINE_GRAPHQL_SERVER_PORT), '127.0.0.1');
