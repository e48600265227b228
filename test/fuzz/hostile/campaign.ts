/** Many random requests, each with random operands, to one database, under both naming conventions. */
import { createLoader } from '../../../runtime/program/loader.ts';
import { serveInProcess } from '../../harness/in-process.ts';
import type { CampaignOptions } from '../queries/campaign.ts';
import { Random } from '../random.ts';
import { createScratchDatabase } from '../scratch-database.ts';
import { type Defect, sendHostile } from './check.ts';
import { resetSql, worldMetadata, worldSql } from './world.ts';

const REQUESTS_PER_SERVER = 500;

export interface HostileResult {
  readonly cases: number;
  /** Found defects, at most one for each text of an error. */
  readonly defects: readonly (Defect & { readonly number: number })[];
}

/** @param options shrinking is not offered: documents are small */
export async function runCampaign(options: Omit<CampaignOptions, 'shrinks'>): Promise<HostileResult> {
  const { serverUrl, database, seed, cases } = options;
  const scratch = await createScratchDatabase(serverUrl, database);
  const { client } = scratch;
  const loader = createLoader();
  const defects = new Map<string, Defect & { readonly number: number }>();
  let number = 0;
  try {
    await client.query(worldSql);
    await client.query(resetSql);
    for (let index = 0; number < cases; index += 1) {
      const random = new Random(seed * 1_000_003 + index);
      const camel = index % 2 === 1;
      const served = await serveInProcess(scratch.url, worldMetadata(camel), loader, {
        reader: scratch.reader,
        naming: { enabled: true },
      });
      try {
        for (let count = 0; count < REQUESTS_PER_SERVER && number < cases; count += 1) {
          number += 1;
          const kind = random.chance(0.5) ? 'query' : 'mutation';
          const role = random.pick(['user', 'user', 'admin']);
          const defect = await sendHostile(random, served, kind, role, {});
          if (kind === 'mutation') await client.query(resetSql);
          if (defect) {
            const key = defect.detail.replaceAll(/"statement".*"error":/g, '');
            if (!defects.has(key)) defects.set(key, { ...defect, number });
          }
        }
      } finally {
        await served.end();
      }
    }
    return { cases: number, defects: [...defects.values()] };
  } finally {
    await scratch.drop();
  }
}
