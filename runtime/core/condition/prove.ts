/**
 * Proofs about conditions, for every session and whatever the tables hold. "Yes" is proved; "no" means not proved.
 *
 * Everything is one question: can some statements hold together? They are refuted as in a tableau. Each statement is taken
 * apart: conjunctions into their parts; a row that exists becomes a row with a name of its own; rows that do not exist are
 * ruled out for every combination of the named rows; an alternative holds only if one of its branches does. If every branch
 * conflicts (see branch.ts), the statements cannot hold together.
 * @rule When does one condition imply another?
 */
import { identifyRows, type KnownRow } from './branch.ts';
import type { Knowledge } from './knowledge.ts';
import { parseCondition } from './parse.ts';
import {
  type Form,
  insideOf,
  type Literal,
  numberOf,
  opposite,
  type Proposition,
  propositionForm,
} from './statement.ts';
import { ROW, type Token, textOf } from './tokens.ts';
import { type Condition, type Exists, rename, renameTokens, TRUE_CONDITION } from './tree.ts';

/** Maximum number of suppositions that one proof compares with each other; beyond it nothing is proved. */
const MAX_STEPS = 3000;
/** Comparisons of rows and literals that count as one more step, and literals: each is read again in every step. */
const STEP = 10_000;
const READ = 64;

/** True if it is proved that every row that fulfils the first condition fulfils the second. */
export function implies(first: Condition, second: Condition, knowledge?: Knowledge): boolean {
  return areImpossible(
    [{ condition: first, is: 'true' }, opposite({ condition: second, is: 'true' })],
    knowledge,
  );
}

/** True if it is proved that the condition holds for every row. */
export function isAlwaysTrue(condition: Condition, knowledge?: Knowledge): boolean {
  return implies(TRUE_CONDITION, condition, knowledge);
}

/** True if it is proved that the condition holds for no row. */
export function isNeverTrue(condition: Condition, knowledge?: Knowledge): boolean {
  return areImpossible([{ condition, is: 'true' }], knowledge);
}

/**
 * The proved effect of a changed rule on its rows.
 * - `narrower`: no row is won, and there are databases and sessions in which one is lost
 * - `not wider`: no row is won; whether one is lost is not known
 * - `wider`: no row is lost; that none is won is not proved
 * - `different`: no row that was let through still is
 * - `undecidable`: none of these is proved
 */
export type RuleComparison = 'same' | 'narrower' | 'not wider' | 'wider' | 'different' | 'undecidable';

/** Compares two versions of a rule. */
export function compareConditions(
  before: Condition,
  after: Condition,
  knowledge?: Knowledge,
): RuleComparison {
  const lost = examine(
    [{ condition: before, is: 'true' }, opposite({ condition: after, is: 'true' })],
    knowledge,
  );
  const winsNone = implies(after, before, knowledge);
  if (winsNone) return lost === 'impossible' ? 'same' : lost === 'possible' ? 'narrower' : 'not wider';
  if (lost === 'impossible') return 'wider';
  const both = [before, after].map((condition): Proposition => ({ condition, is: 'true' }));
  return areImpossible(both, knowledge) ? 'different' : 'undecidable';
}

/**
 * Whether the statements, all about `{row}` and the named rows, contradict each other.
 * @param rows further rows that exist
 */
export function areImpossible(
  statements: readonly Proposition[],
  knowledge?: Knowledge,
  rows: readonly KnownRow[] = [],
  steps = MAX_STEPS,
): boolean {
  return examine(statements, knowledge, rows, steps) === 'impossible';
}

/** Whether statements can hold together. `possible` means that nothing in them is beyond what the prover understands. */
type Outcome = 'impossible' | 'possible' | 'unknown';

function examine(
  statements: readonly Proposition[],
  knowledge?: Knowledge,
  rows: readonly KnownRow[] = [],
  steps = MAX_STEPS,
): Outcome {
  const branch = new Branch([...rowOf(knowledge), ...rows]);
  branch.know(foreignKeys(knowledge));
  branch.suppose(statements);
  return outcomeOf(branch, { knowledge, steps });
}

function rowOf(knowledge: Knowledge | undefined): readonly KnownRow[] {
  if (knowledge?.row === undefined) return [];
  const { row, rowIsStored } = knowledge;
  return [{ alias: ROW, source: [row], unstored: !rowIsStored, version: rowIsStored === false }];
}

/** That no row lacks the one that it refers to. */
function foreignKeys({ references = [] }: Knowledge = { table: () => undefined }): Proposition[] {
  return references.map(({ from, to, columns }) => {
    const given = columns.map(([own]) => `"x".${own} is not null`).join(' and ');
    const joined = columns.map(([own, other]) => `"y".${other} = "x".${own}`).join(' and ');
    const text = `exists (select 1 from ${from} as "x" where ${given} and not exists (select 1 from ${to} as "y" where ${joined}))`;
    return { condition: parseCondition(text), is: 'not true' };
  });
}

interface Proof {
  readonly knowledge: Knowledge | undefined;
  steps: number;
}

type Part = Form | Proposition;

/** No rows of these tables fulfil this condition. */
interface Absence {
  readonly exists: Exists;
  /** Combinations of rows for which that was assumed. */
  readonly done: ReadonlySet<string>;
  /** Known, not supposed. */
  readonly isKnown?: true;
}

class Branch {
  rows: readonly KnownRow[];
  literals: readonly Literal[] = [];
  same: ReadonlyMap<Token, Token> = new Map();
  absences: readonly Absence[] = [];
  alternatives: readonly (readonly Part[])[] = [];
  #named: number;

  constructor(rows: readonly KnownRow[], named = 0) {
    this.rows = rows;
    this.#named = named;
  }

  copy(): Branch {
    const copy = new Branch(this.rows, this.#named);
    copy.literals = this.literals;
    copy.same = this.same;
    copy.absences = this.absences;
    copy.alternatives = this.alternatives;
    return copy;
  }

  /** Takes what holds in every database. */
  know(statements: readonly Proposition[]): void {
    this.suppose(statements);
    this.absences = this.absences.map((absence) => ({ ...absence, isKnown: true }));
  }

  /** @param last try these alternatives after the existing ones, because they may not matter */
  suppose(parts: readonly Part[], last = false): void {
    const literals: Literal[] = [];
    this.#takeApart(parts, last, literals);
    if (literals.length > 0) this.literals = [...this.literals, ...literals];
  }

  /** @param literals gets those of the parts */
  #takeApart(parts: readonly Part[], last: boolean, literals: Literal[]): void {
    for (const part of parts) {
      const form = 'condition' in part ? propositionForm(part) : part;
      switch (form.kind) {
        case 'and':
          this.#takeApart(form.parts, last, literals);
          break;
        case 'or':
          if (form.parts.length === 1) this.#takeApart(form.parts, last, literals);
          else
            this.alternatives = last
              ? [...this.alternatives, form.parts]
              : [form.parts, ...this.alternatives];
          break;
        case 'literal':
          literals.push(form.literal);
          break;
        case 'rows':
          if (form.some) this.#nameRows(form.exists, last);
          else this.absences = [...this.absences, { exists: form.exists, done: new Set() }];
          break;
      }
    }
  }

  #nameRows(exists: Exists, last: boolean): void {
    const names = new Map<Token, Token>();
    const rows: KnownRow[] = [];
    for (const { alias, tokens, source } of exists.from) {
      rows.push({ alias: this.#newName(), source: renameTokens(tokens ?? [source], names) });
      names.set(alias, rows.at(-1)!.alias);
    }
    this.rows = [...this.rows, ...rows];
    this.suppose([{ condition: rename(insideOf(exists), names), is: 'true' }], last);
  }

  /** A name that no text can contain. */
  #newName(): Token {
    this.#named += 1;
    return `#${this.#named}`;
  }

  /** Supposes what absences say of rows that were not looked at yet; whether there was anything. */
  instantiate(proof: Proof): boolean {
    const found: Proposition[] = [];
    this.absences = this.absences.map((absence) => {
      const { exists, done } = absence;
      const combinations = this.#combinations(exists);
      const now = new Set(done);
      for (const names of combinations) {
        const key = [...names.values()].join(' ');
        if (now.has(key) || proof.steps <= 0) continue;
        proof.steps -= 1;
        now.add(key);
        found.push({ condition: rename(insideOf(exists), names), is: 'not true' });
      }
      return now.size === done.size ? absence : { ...absence, done: now };
    });
    this.suppose(found, true);
    return found.length > 0;
  }

  /** Ways to take the named rows for those of the tables, as renamings. */
  #combinations({ from }: Exists): ReadonlyMap<Token, Token>[] {
    let found: ReadonlyMap<Token, Token>[] = [new Map()];
    for (const { alias, tokens } of from) {
      found = found.flatMap((names) => {
        const source = tokens && textOf(renameTokens(renameTokens(tokens, names), this.same));
        return this.rows
          .filter((row) => !row.unstored && textOf(renameTokens(row.source, this.same)) === source)
          .map((row) => new Map([...names, [alias, row.alias]]));
      });
      if (found.length > MAX_STEPS) return [];
    }
    return found;
  }

  /** True if the literals conflict; not looked at when no steps are left. Equal rows are identified. */
  conflicts(proof: Proof): boolean {
    if (proof.steps <= 0) return false;
    // A step is worth more where there are many rows and literals to compare, so that a proof takes as long for any rule.
    const { length } = this.literals;
    proof.steps -= 1 + Math.floor((this.rows.length ** 2 * length) / STEP) + Math.floor(length / READ);
    const known = identifyRows(this, proof.knowledge);
    if (!known) return true;
    this.rows = known.rows;
    this.same = known.same;
    return false;
  }
}

function outcomeOf(branch: Branch, proof: Proof): Outcome {
  for (;;) {
    if (branch.conflicts(proof)) return 'impossible';
    if (proof.steps <= 0) return 'unknown';
    if (branch.instantiate(proof)) continue;
    const next = chooseAlternative(branch, proof);
    if (proof.steps <= 0) return 'unknown';
    if (next === undefined) return isUnderstood(branch) ? 'possible' : 'unknown';
    const { index, open } = next;
    const others = branch.alternatives.filter((_, position) => position !== index);
    const branches = open.map((part) => {
      const way = branch.copy();
      way.alternatives = others;
      way.suppose([part]);
      return way;
    });
    if (branches.length !== 1) return outcomeOfAny(branches, proof);
    branch = branches[0]!;
  }
}

/** One branch that is possible makes all of it possible; only if every branch is impossible, so is all of it. */
function outcomeOfAny(branches: readonly Branch[], proof: Proof): Outcome {
  let outcome: Outcome = 'impossible';
  for (const branch of branches) {
    const own = outcomeOf(branch, proof);
    if (own === 'possible') return own;
    if (own === 'unknown') outcome = own;
  }
  return outcome;
}

/**
 * Whether literals without a conflict can be so: only orders of columns, numbers, one text for each column, and nulls. A table
 * without any row is not understood: a foreign key may demand one.
 */
function isUnderstood({ literals, absences }: Branch): boolean {
  if (absences.some(({ done, isKnown }) => !isKnown && done.size === 0)) return false;
  const texts = new Map<string, string>();
  return literals.every(({ atom, is }) => {
    if (atom.kind === 'opaque') return false;
    if (atom.kind !== 'comparison') return atom.of.kind === 'column';
    const { operator, left, right } = atom;
    if (![left, right].every(({ kind }) => kind !== 'other' && kind !== 'null')) return false;
    if (operator === 'like' || operator === 'ilike' || operator === '= any') return false;
    if (is !== 'true' || right.kind !== 'constant' || numberOf(right) !== undefined) return true;
    const known = texts.get(textOf(left.tokens)) ?? textOf(right.tokens);
    texts.set(textOf(left.tokens), known);
    return operator === '=' && known === textOf(right.tokens);
  });
}

/**
 * An alternative, and its parts that do not conflict at once: one that leaves no choice, else the first. undefined if there is
 * no alternative.
 */
function chooseAlternative(
  branch: Branch,
  proof: Proof,
): { readonly index: number; readonly open: readonly Part[] } | undefined {
  let first: { readonly index: number; readonly open: readonly Part[] } | undefined;
  for (const [index, parts] of branch.alternatives.entries()) {
    const open = parts.filter((part) => {
      if (proof.steps <= 0) return true;
      const way = branch.copy();
      way.suppose([part]);
      return !way.conflicts(proof);
    });
    if (open.length <= 1) return { index, open };
    first ??= { index, open };
  }
  return first;
}
