/** What reading JSON exactly costs, as multiples of JSON.parse on the same texts in the same run: worst cases of a hostile client. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseExactJson } from '../../runtime/core/json/exact-json.ts';
import { alignedTable } from './results.ts';

/** Times are of the processor, in milliseconds; memory in megabytes, of the text and its value together. */
export interface ReadingFigure {
  readonly text: string;
  readonly megabytes: number;
  readonly plainTime: number;
  readonly exactTime: number;
  readonly plainMemory: number;
  readonly exactMemory: number;
}

const RUNS = 5;
/** Less than this, both times count as equal: JSON.parse skips white space faster than anything can look at it. */
const FLOOR = 40;

const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`;
const ID = '9007199254740993';

const TEXTS: Readonly<Record<string, () => string>> = {
  'numbers with exponents': () => list(1_000_000, () => '1e1'),
  'beyond the range': () => list(1_000_000, () => '1e400'),
  '17 digits, as JavaScript prints them': () => list(1_000_000, (index) => String(Math.sin(index))),
  '16 digits': () => list(1_000_000, (index) => String(2 ** 52 + index)),
  '19 digits, all lost': () => list(1_000_000, (index) => `9${String(index).padStart(17, '1')}3`),
  'objects with a number that is lost': () =>
    list(300_000, (index) => `{"id":${ID},"name":"n${index}","ok":true}`),
  'the same, keys twice': () => list(300_000, (index) => `{"id":1,"id":${ID},"name":"n${index}"}`),
  'many keys': () => `{${list(500_000, (index) => `"k${index}":${index}`).slice(1, -1)}}`,
  deep: () => list(3_000, () => '['.repeat(490) + ']'.repeat(490)),
  'a long string': () => `"${'x'.repeat(20_000_000)}"`,
  escapes: () => `"${'\\"'.repeat(10_000_000)}"`,
  'short strings': () => list(2_000_000, () => '"ab"'),
  words: () => list(2_000_000, () => 'null'),
  'white space': () => `[${' '.repeat(20_000_000)}]`,
};

export function benchReadingJson(progress: (text: string) => void): ReadingFigure[] {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return Object.entries(TEXTS).map(([name, make]) => {
    progress(name);
    // By way of bytes, as a body comes, so that it is one piece.
    const text = Buffer.from(make()).toString();
    const measure = (read: (text: string) => unknown) => {
      let time = Number.POSITIVE_INFINITY;
      for (let run = 0; run < RUNS; run += 1) {
        const before = process.cpuUsage();
        read(text);
        const { user, system } = process.cpuUsage(before);
        time = Math.min(time, (user + system) / 1000);
      }
      collect();
      const before = process.memoryUsage().heapUsed;
      const value = read(text);
      collect();
      const memory = (process.memoryUsage().heapUsed - before) / 2 ** 20 + text.length / 2 ** 20;
      // Used after the measurement, so that it is not collected before.
      return { time, memory: value === undefined ? 0 : memory };
    };
    const plain = measure(JSON.parse);
    const exact = measure(parseExactJson);
    return {
      text: name,
      megabytes: text.length / 2 ** 20,
      plainTime: plain.time,
      exactTime: exact.time,
      plainMemory: plain.memory,
      exactMemory: exact.memory,
    };
  });
}

export function readingJsonTable(figures: readonly ReadingFigure[]): string {
  const header = ['text', 'MB', 'JSON.parse ms', 'exact ms', 'times', 'JSON.parse MB', 'exact MB', 'times'];
  const rows = figures.map(({ text, megabytes, plainTime, exactTime, plainMemory, exactMemory }) => [
    text,
    megabytes.toFixed(1),
    plainTime.toFixed(0),
    exactTime.toFixed(0),
    exactTime < FLOOR ? '–' : (exactTime / plainTime).toFixed(1),
    plainMemory.toFixed(0),
    exactMemory.toFixed(0),
    (exactMemory / plainMemory).toFixed(1),
  ]);
  return alignedTable([header, ...rows]);
}
