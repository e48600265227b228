/** Many cases one after another: a new project every so many requests. */
import type { Defect } from '../hostile/check.ts';
import { Random } from '../random.ts';
import { check, type Failure } from './check.ts';
import { Coverage } from './coverage.ts';
import type { Project } from './project.ts';
import { randomProject } from './random-project.ts';
import { randomRequest } from './random-request.ts';
import type { Request } from './request.ts';
import { openWorkbench } from './served.ts';
import { shrink } from './shrink.ts';

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
    for (let index = 0; number < options.cases; index += 1) {
      const random = new Random(options.seed * 1_000_003 + index);
      const project = randomProject(random);
      coverage.addProject(project);
      const served = await workbench.serve(project);
      try {
        for (let count = 0; count < REQUESTS_PER_PROJECT && number < options.cases; count += 1) {
          number += 1;
          const request = randomRequest(random, project);
          const printSeed = random.below(1_000_000);
          coverage.addRequest(project, request);
          const failure = await check(served, project, request, printSeed);
          if (!failure) {
            const defect = await served.hostile(request.role, request.session, new Random(printSeed));
            if (defect) return { cases: number, coverage, failed: undefined, defect };
            continue;
          }
          await served.end();
          const smallest = options.shrinks
            ? await shrink(workbench, { project, request, printSeed }, failure.kind)
            : { project, request, printSeed };
          return { cases: number, coverage, failed: await describe(smallest, number) };
        }
      } finally {
        await served.end();
      }
    }
    return { cases: number, failed: undefined, coverage };
  } finally {
    await workbench.end();
  }

  async function describe(
    { project, request, printSeed }: { project: Project; request: Request; printSeed: number },
    number: number,
  ): Promise<FailedCase> {
    const served = await workbench.serve(project);
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
