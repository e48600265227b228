/** What reading JSON exactly costs, as multiples of JSON.parse on the same texts in the same run: worst cases of a hostile client. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseExactJson } from '../../runtime/core/json/exact-json.ts';
import { Random } from '../fuzz/random.ts';
import { alignedTable } from './results.ts';

/** Times are of the processor, in milliseconds; memory in megabytes, of the text and its value together. */
export interface ReadingFigure {
  readonly text: string;
  readonly megabytes: number;
  readonly plainTime: number;
  readonly exactTime: number;
  readonly plainMemory: number;
  readonly exactMemory: number;
  /** Maximum multiples of JSON.parse. The benchmark fails above. */
  readonly limits: Limits;
}

interface Limits {
  readonly time: number;
  readonly memory: number;
}

/** The best one counts. The first ones also warm the code up; JSON.parse needs no warming. */
const RUNS = 5;

/** The goal is 2; the rest allows for other programs on the machine. */
const LIMITS: Limits = { time: 3.5, memory: 2 };

/** Texts that miss the goal by far; docs/benchmarks.md says why. */
const MISSED: Readonly<Record<string, Limits>> = {
  'minus zero': { time: 6, memory: 2 },
  'beyond the range': { time: 5, memory: 2 },
  'different numbers beyond the range': { time: 14, memory: 7 },
  '19 digits, all different and lost': { time: 10, memory: 5.5 },
  'the same, keys twice': { time: 4, memory: 2 },
  'lines of white space': { time: 5, memory: 2 },
  'white space without a pattern': { time: 5, memory: 2 },
};

const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, index) => item(index)).join(',')}]`;
const ID = '9007199254740993';

const TEXTS: Readonly<Record<string, () => string>> = {
  integers: () => list(1_000_000, (index) => String(index * 7)),
  'integers, one of them lost': () =>
    list(1_000_000, (index) => (index === 999_999 ? ID : String(index * 7))),
  'numbers with exponents': () => list(1_000_000, () => '1e1'),
  '16 digits': () => list(1_000_000, (index) => String(2 ** 52 + index)),
  '17 digits, as JavaScript prints them': () => list(1_000_000, (index) => String(Math.sin(index))),
  'the same number, lost': () => list(1_000_000, () => ID),
  'minus zero': () => list(1_000_000, () => '-0'),
  'beyond the range': () => list(1_000_000, () => '1e400'),
  'different numbers beyond the range': () => list(1_000_000, (index) => `${index}e-400`),
  '19 digits, all different and lost': () =>
    list(1_000_000, (index) => `9${String(index).padStart(17, '1')}3`),
  'objects with a number that is lost': () =>
    list(300_000, (index) => `{"id":${ID},"name":"n${index}","ok":true}`),
  'the same, keys twice': () => list(300_000, (index) => `{"id":1,"id":${ID},"name":"n${index}"}`),
  'many keys': () => `{${list(500_000, (index) => `"k${index}":${index}`).slice(1, -1)}}`,
  'many keys, numbers lost': () => `{${list(500_000, (index) => `"k${index}":${ID}`).slice(1, -1)}}`,
  deep: () => list(3_000, () => '['.repeat(490) + ']'.repeat(490)),
  'a long string': () => `"${'x'.repeat(20_000_000)}"`,
  escapes: () => `"${'\\"'.repeat(10_000_000)}"`,
  'short strings': () => list(2_000_000, () => '"ab"'),
  words: () => list(2_000_000, () => 'null'),
  'white space': () => `[${' '.repeat(20_000_000)}]`,
  'lines of white space': () => `[${'\n\t '.repeat(7_000_000)}]`,
  'white space without a pattern': () => `[${withoutPattern(20_000_000)}]`,
};

function withoutPattern(length: number): string {
  const random = new Random(1);
  return Array.from({ length }, () => (random.chance(0.5) ? ' ' : '\n')).join('');
}

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
        collect();
        const before = process.cpuUsage();
        read(text);
        const { user, system } = process.cpuUsage(before);
        time = Math.min(time, (user + system) / 1000);
      }
      collect();
      const before = usedMemory();
      const value = read(text);
      collect();
      const memory = (usedMemory() - before + text.length) / 2 ** 20;
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
      limits: MISSED[name] ?? LIMITS,
    };
  });
}

function usedMemory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const timesOf = ({ plainTime, exactTime, plainMemory, exactMemory }: ReadingFigure): Limits => ({
  time: exactTime / plainTime,
  memory: exactMemory / plainMemory,
});

/** True if no figure is above its limit. */
export function readsWithinLimits(figures: readonly ReadingFigure[]): boolean {
  return figures.every((figure) => {
    const { time, memory } = timesOf(figure);
    return time <= figure.limits.time && memory <= figure.limits.memory;
  });
}

export function readingJsonTable(figures: readonly ReadingFigure[]): string {
  const header = [
    'text',
    'MB',
    'JSON.parse',
    'exact',
    'times',
    'limit',
    'JSON.parse',
    'exact',
    'times',
    'limit',
    '',
  ];
  const rows = figures.map((figure) => {
    const { time, memory } = timesOf(figure);
    return [
      figure.text,
      figure.megabytes.toFixed(0),
      `${figure.plainTime.toFixed(0)} ms`,
      `${figure.exactTime.toFixed(0)} ms`,
      time.toFixed(1),
      String(figure.limits.time),
      `${figure.plainMemory.toFixed(0)} MB`,
      `${figure.exactMemory.toFixed(0)} MB`,
      memory.toFixed(1),
      String(figure.limits.memory),
      readsWithinLimits([figure]) ? '' : 'ABOVE',
    ];
  });
  return alignedTable([header, ...rows]);
}
