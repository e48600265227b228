/**
 * The isolation checks of an earlier version, run on what is served now: a rule that lost what isolated it makes no checks of
 * its own any more, and its former ones fail.
 */

import { remember } from '../../../runtime/core/remember.ts';
import type { Planner } from '../../../runtime/core/request/planner.ts';
import type { SavedOptions } from '../../../runtime/core/saved/saved.ts';
import type { CompileResult } from '../../index.ts';
import type { Check } from './isolation.ts';
import type { TryRule } from './rule-trial.ts';
import { planAlone, plannerOf, type RuleKind, subjectsOf, type TestSubject } from './subjects.ts';

/** The earlier version, compiled against the present catalogs. */
export interface EarlierVersion {
  /** The name that the command line gave. */
  readonly label: string;
  readonly compiled: CompileResult;
}

export interface BaseResult {
  readonly label: string;
  /** Checks of the rules that are not as they were, by rule: `main: role · kind · table`. */
  readonly suites: readonly { readonly name: string; readonly checks: readonly Check[] }[];
  /** Number of rules that are as they were, and were tried as such. */
  readonly unchanged: number;
  /** Rules whose permission the role no longer has: there is nothing to try. */
  readonly gone: readonly string[];
  /** Errors when the base is compiled against the present database; the objects concerned were not tried. */
  readonly lost: number;
}

/** The version that the base is compared with. */
export interface BaseInput {
  readonly base: EarlierVersion;
  /** Present rules. */
  readonly subjects: readonly TestSubject[];
  /** The planner in which a present rule is tried. */
  readonly alone: (subject: TestSubject) => Planner;
  readonly tryRule: TryRule;
  readonly serving: SavedOptions;
  readonly say: (step: string) => void;
}

/** Runs the base's checks; those that passed on the base itself and cannot be shown any more fail. */
export async function tryBase({
  base,
  subjects,
  alone,
  tryRule,
  serving,
  say,
}: BaseInput): Promise<BaseResult> {
  say(`trying the row rules of ${base.label}`);
  const { plan, model } = base.compiled.state;
  const planners = new Map<RuleKind, Planner>();
  const suites: { name: string; checks: readonly Check[] }[] = [];
  const gone: string[] = [];
  let unchanged = 0;
  for (const former of subjectsOf(model).filter(({ variables }) => variables.length > 0)) {
    const present = presentOf(former, subjects);
    if (!present) {
      gone.push(former.name);
      continue;
    }
    // It was tried.
    if (present.kind === former.kind && present.where === former.where) {
      unchanged += 1;
      continue;
    }
    const { condition, variables, where, kind, name } = former;
    const tried: TestSubject = { ...present, condition, variables, where, kind, name };
    const formerly = remember(planners, former.kind, () => plannerOf(planAlone(plan, former.kind), serving));
    const passed = (await tryRule(former, formerly)).filter(({ outcome }) => outcome === 'passed');
    const now = new Map((await tryRule(tried, alone(tried))).map((check) => [check.name, check]));
    const checks = passed.map(({ name }): Check => {
      const check = now.get(name);
      return check && check.outcome !== 'unproven'
        ? check
        : {
            name,
            outcome: 'failed',
            reason: `it passed in ${base.label} and cannot be shown now${check?.reason ? `: ${check.reason}` : ''}`,
          };
    });
    suites.push({ name: `${base.label}: ${former.name}`, checks });
  }
  return {
    label: base.label,
    suites,
    unchanged,
    gone,
    lost: base.compiled.diagnostics.filter(({ severity }) => severity === 'error').length,
  };
}

/** The rule as it is now; undefined: the role has no such permission. */
function presentOf(former: TestSubject, subjects: readonly TestSubject[]): TestSubject | undefined {
  const same = (kind: RuleKind) =>
    subjects.find(
      (other) =>
        other.kind === kind &&
        other.role === former.role &&
        other.source === former.source &&
        other.table.key === former.table.key,
    );
  // Without a check an update lets every row be written, and a delete every row of its rule.
  const whole = { 'update check': 'update', 'delete check': 'delete' } as const;
  return (
    same(former.kind) ?? (former.kind in whole ? same(whole[former.kind as keyof typeof whole]) : undefined)
  );
}
