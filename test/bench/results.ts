/** What the serving benchmark finds, and how it is shown. */

/** One round of one server. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** Microseconds of the server's own CPU time. */
  readonly cpuPerRequest: number;
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
}

export interface CaseResult {
  readonly name: string;
  readonly connections: number;
  /** Our requests per second in relation to the floor that runs our SQL. */
  readonly ratio: number;
  /** … to the floor that runs the SQL written by hand. */
  readonly sqlRatio: number;
  readonly engine: Summary;
  readonly floor: Summary;
  readonly handwritten: Summary;
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
  };
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
    'floor',
    'CPU µs',
    'by hand',
    'CPU µs',
    'ratio',
    'sqlRatio',
    'buffers',
  ];
  const rows = results.map((result) => [
    result.name,
    String(result.connections),
    result.engine.requestsPerSecond.toFixed(0),
    result.engine.p50.toFixed(2),
    result.engine.p99.toFixed(2),
    result.engine.cpuPerRequest.toFixed(0),
    result.floor.requestsPerSecond.toFixed(0),
    result.floor.cpuPerRequest.toFixed(0),
    result.handwritten.requestsPerSecond.toFixed(0),
    result.handwritten.cpuPerRequest.toFixed(0),
    result.ratio.toFixed(2),
    result.sqlRatio.toFixed(2),
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
