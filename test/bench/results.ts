/** What the serving benchmark finds, and how it is shown. */

/** One round of one server. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** Microseconds of the server's own CPU time. */
  readonly cpuPerRequest: number;
  /** Of Postgres; NaN where it was not measured. */
  readonly postgresPerRequest: number;
  /** Of the load generator, which runs on the same cores. */
  readonly generatorPerRequest: number;
  /** Milliseconds. */
  readonly latencies: readonly number[];
}

export interface Summary {
  readonly requestsPerSecond: number;
  /** Milliseconds, over all rounds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds. */
  readonly cpuPerRequest: number;
  readonly postgresPerRequest: number;
  readonly generatorPerRequest: number;
}

export interface CaseResult {
  readonly name: string;
  readonly connections: number;
  /** Our requests per second in relation to the floor that runs our SQL. */
  readonly ratio: number;
  /** … to the floor that runs the SQL written by hand. */
  readonly sqlRatio: number;
  readonly processor: ProcessorRatios;
  /** Microseconds that Node's HTTP server by itself takes with so many connections. */
  readonly httpTime: number;
  readonly engine: Summary;
  readonly floor: Summary;
  readonly handwritten: Summary;
  /** Our server in another checkout, and the ratio to it. */
  readonly against?: Summary & { readonly ratio: number };
  /** Shared buffers that each SQL touches for all requests of the case. */
  readonly buffers: { readonly engine: number; readonly handwritten: number };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Of values in ascending order. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** All rounds of a server. */
export function summaryOf(rounds: readonly Measurement[]): Summary {
  const latencies = rounds.flatMap((round) => round.latencies).sort((left, right) => left - right);
  return {
    requestsPerSecond: median(rounds.map((round) => round.requestsPerSecond)),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuPerRequest: median(rounds.map((round) => round.cpuPerRequest)),
    postgresPerRequest: median(rounds.map((round) => round.postgresPerRequest)),
    generatorPerRequest: median(rounds.map((round) => round.generatorPerRequest)),
  };
}

/**
 * Processor time of a request with the floor in relation to that with our server: of the server, of Postgres and of the load
 * generator, which share the cores. Once every core is busy, this is the ratio of requests per second, and other programs on
 * the machine change it less. NaN where the time of Postgres was not measured.
 */
export interface ProcessorRatios {
  readonly ratio: number;
  /** The same if our server took no more than Node's HTTP server by itself: no change of the server gets beyond it. */
  readonly bound: number;
}

/** @param httpTime microseconds of Node's HTTP server by itself; absent: no time */
export function processorRatios(ours: Summary, other: Summary, httpTime = 0): ProcessorRatios {
  const around = ({ postgresPerRequest, generatorPerRequest }: Summary) =>
    postgresPerRequest + generatorPerRequest;
  const all = around(other) + other.cpuPerRequest;
  return { ratio: all / (around(ours) + ours.cpuPerRequest), bound: all / (around(ours) + httpTime) };
}

/** Requests per second in relation to others'. Neighbouring rounds are compared: what else the machine did touched both. */
export function ratioOf(rounds: readonly Measurement[], others: readonly Measurement[]): number {
  return median(
    rounds.map(({ requestsPerSecond }, round) => requestsPerSecond / others[round]!.requestsPerSecond),
  );
}

/** The results as aligned lines. */
export function resultTable(results: readonly CaseResult[]): string {
  const header = [
    'case',
    'conn',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'HTTP',
    'Postgres',
    'load',
    'floor',
    'CPU µs',
    'Postgres',
    'by hand',
    'CPU µs',
    ...(results.some(({ against }) => against) ? ['against', 'CPU µs', 'Postgres', 'ratio'] : []),
    'ratio',
    'sqlRatio',
    'CPU ratio',
    'bound',
    'buffers',
  ];
  const rows = results.map((result) => [
    result.name,
    String(result.connections),
    result.engine.requestsPerSecond.toFixed(0),
    result.engine.p50.toFixed(2),
    result.engine.p99.toFixed(2),
    result.engine.cpuPerRequest.toFixed(0),
    result.httpTime.toFixed(0),
    result.engine.postgresPerRequest.toFixed(0),
    result.engine.generatorPerRequest.toFixed(0),
    result.floor.requestsPerSecond.toFixed(0),
    result.floor.cpuPerRequest.toFixed(0),
    result.floor.postgresPerRequest.toFixed(0),
    result.handwritten.requestsPerSecond.toFixed(0),
    result.handwritten.cpuPerRequest.toFixed(0),
    ...(result.against
      ? [
          result.against.requestsPerSecond.toFixed(0),
          result.against.cpuPerRequest.toFixed(1),
          result.against.postgresPerRequest.toFixed(0),
          result.against.ratio.toFixed(2),
        ]
      : []),
    result.ratio.toFixed(2),
    result.sqlRatio.toFixed(2),
    result.processor.ratio.toFixed(2),
    result.processor.bound.toFixed(2),
    `${result.buffers.engine}/${result.buffers.handwritten}`,
  ]);
  return alignedTable([header, ...rows]);
}

/** Columns as wide as their widest cell; the first one to the left, the others to the right. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
    .join('\n');
}

/** One figure beside its goal. */
export interface GoalFigure {
  /** As in docs/benchmarks.md, E1 for instance; empty for what others reach. */
  readonly id: string;
  readonly what: string;
  readonly value: string;
  readonly goal: string;
  /** Absent for what has no goal. */
  readonly isMet?: boolean;
}

/** The figures as aligned lines. */
export function goalTable(figures: readonly GoalFigure[]): string {
  const rows = figures.map(({ id, what, value, goal, isMet }) => [
    `${id.padEnd(4)}${what}`,
    value,
    goal,
    isMet === undefined ? '' : isMet ? 'met' : 'missed',
  ]);
  return alignedTable([['    measure', 'figure', 'goal', ''], ...rows]);
}
