/** Many cases one after another: a new project every so many requests. */
import type { Distribution } from '../../../runtime/core/shards/shapes.ts';
import type { Defect } from '../hostile/check.ts';
import { Random } from '../random.ts';
import { check, type Failure } from './check.ts';
import { Coverage } from './coverage.ts';
import type { Project } from './project.ts';
import { randomProject } from './random-project.ts';
import { randomRequest } from './random-request.ts';
import type { Request } from './request.ts';
import { openWorkbench } from './served.ts';
import { type Case, shrink } from './shrink.ts';

const REQUESTS_PER_PROJECT = 25;

export interface CampaignOptions {
  /** A server on which databases may be created. */
  readonly serverUrl: string;
  /** Name of the database to make. */
  readonly database: string;
  readonly seed: number;
  readonly cases: number;
  /** Makes a failing case smaller before it is reported. */
  readonly shrinks: boolean;
  /** How tables are spread over a cluster; absent: they are tables of plain PostgreSQL. */
  readonly distribution?: (random: Random, tables: Project['tables']) => Distribution;
}

export interface FailedCase {
  readonly seed: number;
  readonly number: number;
  readonly project: Project;
  readonly request: Request;
  readonly failure: Failure;
  readonly sql: string;
  readonly rules: string;
}

export interface CampaignResult {
  readonly cases: number;
  /** Those that were not answered because of where their tables are. */
  readonly refused: number;
  /** The first failure ends the campaign. */
  readonly failed: FailedCase | undefined;
  /** A request that got an unexpected error ends the campaign as well. */
  readonly defect?: Defect;
  readonly coverage: Coverage;
}

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const coverage = new Coverage();
  const workbench = await openWorkbench(options.serverUrl, options.database);
  try {
    let number = 0;
    let refused = 0;
    for (let index = 0; number < options.cases; index += 1) {
      const random = new Random(options.seed * 1_000_003 + index);
      const project = randomProject(random);
      coverage.addProject(project);
      const distribution = options.distribution?.(new Random(index), project.tables);
      const served = await workbench.serve(project, distribution);
      try {
        for (let count = 0; count < REQUESTS_PER_PROJECT && number < options.cases; count += 1) {
          number += 1;
          const asked = randomRequest(random, project);
          // Groups of distributed tables are not offered.
          const isOffered = ({ kind }: Request['fields'][number]) => !distribution || kind !== 'groups';
          const request = { ...asked, fields: asked.fields.filter(isOffered) };
          if (request.fields.length === 0) continue;
          const printSeed = random.below(1_000_000);
          coverage.addRequest(project, request);
          const failure = await check(served, project, request, printSeed);
          if (failure?.isRefused) {
            refused += 1;
            continue;
          }
          if (!failure) {
            if (distribution) continue;
            const defect = await served.hostile(request.role, request.session, new Random(printSeed));
            if (defect) return { cases: number, refused, coverage, failed: undefined, defect };
            continue;
          }
          await served.end();
          const smallest = options.shrinks
            ? await shrink(workbench, { project, request, printSeed, distribution }, failure.kind)
            : { project, request, printSeed, distribution };
          return { cases: number, refused, coverage, failed: await describe(smallest, number) };
        }
      } finally {
        await served.end();
      }
    }
    return { cases: number, refused, failed: undefined, coverage };
  } finally {
    await workbench.end();
  }

  async function describe(
    { project, request, printSeed, distribution }: Case,
    number: number,
  ): Promise<FailedCase> {
    const served = await workbench.serve(project, distribution);
    try {
      const failure = await check(served, project, request, printSeed);
      if (!failure)
        throw new Error(`case ${number} of seed ${options.seed} failed once and passed the second time`);
      const sql = served.sql(request.role, request.session, failure.document);
      return { seed: options.seed, number, project, request, failure, sql, rules: served.rules };
    } finally {
      await served.end();
    }
  }
}
