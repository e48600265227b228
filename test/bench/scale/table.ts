/** The tables of docs/scale.md, as `npm run bench -- scale` prints them. */
import { FIGURES } from './figures.ts';
import { ASSUMED, mostClients, type Need, needOf } from './model.ts';

const CLIENTS = [1000, 10_000, 100_000, 1_000_000];

const number = (value: number) =>
  value.toLocaleString('en-US', { maximumSignificantDigits: value < 10 ? 2 : 3 });

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const measured = () =>
  table(
    ['Measured', 'Figure'],
    Object.values(FIGURES).map(({ name, value, unit }) => [
      name,
      `${value.toLocaleString('en-US')}${unit === '' ? '' : unit.startsWith('/') ? unit : ` ${unit}`}`,
    ]),
  );

function carried(): string {
  const f = FIGURES;
  const rate = (microseconds: number) => (1_000_000 * ASSUMED.load) / microseconds;
  return table(
    ['One process', 'Carries (derived)', 'From', 'Next step'],
    [
      [
        'requests by key',
        `${number(rate(f.read.value))}/s`,
        `${f.read.value} µs each`,
        '`--workers`, then instances: no limit but the database',
      ],
      ['updates by key', `${number(rate(f.write.value))}/s`, `${f.write.value} µs each`, 'the same'],
      [
        'live queries at rest',
        `${number(f.sockets.value)} measured; ${number((4000 * ASSUMED.load) / (f.idle.value / 100))} by processor time`,
        `${f.idle.value} % of a core for 4,000`,
        'workers, instances',
      ],
      [
        'results that change',
        `${number(f.results.value * ASSUMED.load)}/s`,
        `${number(f.results.value)} for each second`,
        'workers, instances',
      ],
      [
        'one result to many sockets',
        `${number(f.messages.value * ASSUMED.load)}/s`,
        `${number(f.messages.value)} for each second`,
        'workers, instances',
      ],
      [
        'sockets in 1 GB',
        number((1_000_000 - f.memory.value * 1000) / f.socket.value),
        `${f.socket.value} kB each, ${f.memory.value} MB without any`,
        'memory',
      ],
      [
        'live queries of a cluster, each read every second',
        number((1000 / ASSUMED.routerQuery) * ASSUMED.lanes),
        `${ASSUMED.lanes} statements at a time, ${ASSUMED.routerQuery} ms each (assumed)`,
        'a longer interval, workers',
      ],
      [
        'delivered events',
        `${number(f.events.value)}/s`,
        'measured',
        `instances, up to ${number(f.queue.value)}/s of one queue; then sources`,
      ],
      [
        'changes of the metadata',
        `${number(f.changes.value / 30)}/s`,
        `${f.changes.value} in 30 s`,
        'none: every instance loads each change',
      ],
    ],
  );
}

function byClients(): string {
  const row = (need: Need) => [
    number(need.clients),
    `${number(need.requests)} / ${number(need.writes)}`,
    `${number(need.processes)} (${need.because})`,
    need.cores,
    need.memory,
    need.databaseCores,
    need.connections,
    need.deliverers,
    `${number(need.clusterRound)} s`,
  ];
  return table(
    [
      'Clients',
      'Requests / writes a second',
      'Processes (because of)',
      'Cores for them',
      'Memory, GB',
      'Cores of PostgreSQL',
      'Connections',
      'Event servers',
      'Round on a cluster',
    ],
    CLIENTS.map((clients) => row(needOf(clients))),
  );
}

function limits(): string {
  const cores = ASSUMED.databaseCores * ASSUMED.load;
  const most = (holds: (need: Need) => boolean) => number(mostClients(holds));
  return table(
    ['Limit', 'Clients', 'Next step'],
    [
      ['one process, by sockets measured', number(FIGURES.sockets.value), '`--workers`, instances'],
      ['one event server', most(({ deliverers }) => deliverers <= 1), 'a second instance: events are shared'],
      [
        'one queue of events',
        most(({ writes }) => writes <= FIGURES.queue.value),
        'events of fewer tables; several sources',
      ],
      [
        '500 connections of PostgreSQL',
        most(({ connections }) => connections <= 500),
        'a higher `max_connections`; a smaller `--connections` for each of more processes',
      ],
      [
        `a primary of ${ASSUMED.databaseCores} cores`,
        most((need) => need.databaseCores <= cores),
        'read replicas take the requests',
      ],
      [
        `the same, requests on replicas`,
        most((need) => need.databaseCores - need.replicaCores <= cores),
        'several sources, or a cluster, by tenant',
      ],
    ],
  );
}

/** By the name of their place in the page. */
export const scaleTables: Readonly<Record<string, () => string>> = { measured, carried, byClients, limits };
