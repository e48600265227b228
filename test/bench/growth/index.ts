/** `npm run bench -- growth`: the same work at three sizes, each ten times the one before. */
import { startEmbeddedPostgres } from '../../../compiler/offline/embedded.ts';
import { alignedTable } from '../results.ts';
import { benchCatalogGrowth } from './catalog.ts';
import { compileCases } from './compiling.ts';
import { type Growth, type GrowthCase, measureGrowth } from './measure.ts';
import { requestCases } from './requests.ts';
import { servingCases } from './serving.ts';

/** An exponent above it is worse than sorting; measurements of it are never better than a tenth. */
const STEEP = 1.3;

/** @param only text in the names of the cases to measure */
export async function benchGrowth(progress: (text: string) => void, only = ''): Promise<readonly Growth[]> {
  const found: Growth[] = [];
  const measure = async (cases: readonly GrowthCase[]) => {
    for (const each of cases.filter(({ name }) => name.includes(only))) {
      progress(each.name);
      found.push(await measureGrowth(each));
    }
  };
  const postgres = await startEmbeddedPostgres();
  try {
    await measure([...compileCases(postgres), ...requestCases(postgres)]);
  } finally {
    await postgres.stop();
  }
  if (only === '' || only.startsWith('served')) {
    const { cases, stop } = await servingCases(progress);
    try {
      await measure(cases);
    } finally {
      await stop();
    }
  }
  if (only === '' || only.startsWith('catalog')) found.push(await benchCatalogGrowth(progress));
  return found;
}

/** One line a case: processor time at each size, and the power of the size that it follows. */
export function growthTable(growths: readonly Growth[]): string {
  return alignedTable([
    ['work', 'what grows', 'sizes', 'CPU ms', 'exponent', ''],
    ...growths.map(({ name, unit, sizes, times, exponent }) => [
      name,
      unit,
      sizes.join(' / '),
      times.map((time) => (time < 10 ? time.toFixed(1) : time.toFixed(0))).join(' / '),
      exponent.toFixed(2),
      exponent > STEEP ? 'steep' : '',
    ]),
  ]);
}
