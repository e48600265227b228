/**
 * What live queries are measured against, as a process of its own: programs that read every second and compare. `each` asks one
 * statement for each subscriber; `batched` asks one for a hundred, as servers do that poll live queries together. Tells the
 * parent which subscriber's result has changed.
 */
import pg from 'pg';

const [kind, url, subscribers] = process.argv.slice(2);
const count = Number(subscribers);
const BATCH = 100;
const CONNECTIONS = 4;

const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
const results = new Map<number, string>();

function take(id: number, text: string): void {
  const before = results.get(id);
  results.set(id, text);
  if (before !== undefined && before !== text) process.send!(id);
}

const ONE = `select coalesce((select row_to_json(r) from (select n from item where id = $1) as r), 'null')::text`;
const MANY = `select c.id, coalesce((select row_to_json(r) from (select n from item where id = c.id) as r), 'null')::text
  from unnest($1::int[]) as c (id)`;

async function readOne(id: number): Promise<void> {
  const { rows } = await pool.query({ name: 'one', text: ONE, values: [id], rowMode: 'array' });
  take(id, rows[0]![0]);
}

async function readBatch(first: number): Promise<void> {
  const ids = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index + 1);
  const { rows } = await pool.query({ name: 'many', text: MANY, values: [ids], rowMode: 'array' });
  for (const [id, text] of rows) take(id, text);
}

for (;;) {
  const began = performance.now();
  const size = kind === 'each' ? 1 : BATCH;
  const firsts = Array.from({ length: Math.ceil(count / size) }, (_, index) => index * size);
  await Promise.all(firsts.map((first) => (kind === 'each' ? readOne(first + 1) : readBatch(first))));
  // The second counts from the end of a read, as with servers of this kind.
  await new Promise((resolve) =>
    setTimeout(resolve, Math.max(0, 1000 - (kind === 'each' ? performance.now() - began : 0))),
  );
}
