/** A rule of a statement as nodes of that statement, as its rows are: for those who read, or change, the queries inside it. */
import {
  bindRow,
  CLOSE,
  FALSE,
  join,
  OPEN,
  type ParameterNode,
  raw,
  type Sql,
  sql,
  wholeRow,
} from '../sql/fragment.ts';
import {
  aliasNamed,
  columnOf,
  comparisonOf,
  conjunction,
  constant,
  disjunction,
  type FromItem,
  guardedCondition,
  type Meaning,
  nested,
  selectStatement,
  tableNamed,
} from '../sql/statement.ts';
import { readComparison } from './comparison.ts';
import { nameOfToken } from './reads.ts';
import { FUNCTIONS, readRule } from './rule.ts';
import { isQuotedName, type PlacedToken, placeTokens, ROW, type Token } from './tokens.ts';
import type { Condition, RuleFromItem } from './tree.ts';

/** @param fragment the text of the rule, with its parameters */
export function ruleNodes({ rule, row }: Meaning<'rule'>, fragment: Sql): Sql {
  const parameters = fragment.nodes.filter((node) => node.kind === 'parameter');
  return new RuleNodes(row, parameters).condition(rule.condition);
}

class RuleNodes {
  readonly #row: Sql;
  /** Parameters still to come, in the order of the text. */
  readonly #parameters: ParameterNode[];
  readonly #aliases = new Set<Token>();

  constructor(row: Sql, parameters: ParameterNode[]) {
    this.#row = row;
    this.#parameters = parameters;
  }

  condition(condition: Condition): Sql {
    switch (condition.kind) {
      case 'and':
        return condition.parts.length === 0 ? raw('true') : conjunction(this.#parts(condition));
      case 'or':
        return condition.parts.length === 0 ? FALSE : disjunction(this.#parts(condition));
      case 'not': {
        const part = this.condition(condition.part);
        return condition.part.kind === 'exists' ? sql`not ${part}` : sql`not ${nested(part)}`;
      }
      case 'guarded':
        return guardedCondition(this.condition(condition.when), this.condition(condition.part));
      case 'exists': {
        for (const { alias } of condition.from) this.#aliases.add(alias);
        const from = condition.from.map((item, index) => this.#item(item, index));
        const { where: all } = condition;
        const where = all.kind === 'and' ? this.#parts(all) : [this.condition(all)];
        return sql`exists ${nested(selectStatement({ columns: raw('1'), from, where }))}`;
      }
      case 'leaf':
        return this.#leaf(condition.text);
    }
  }

  #parts({ parts }: { readonly parts: readonly Condition[] }): Sql[] {
    return parts.map((part) => {
      const isCombination = (part.kind === 'and' || part.kind === 'or') && part.parts.length > 0;
      return isCombination ? nested(this.condition(part)) : this.condition(part);
    });
  }

  #item({ source, alias, tokens, on }: RuleFromItem, index: number): FromItem {
    const [schema, , name] = tokens?.length === 3 ? tokens : [];
    return {
      ...(index > 0 && { join: 'join' }),
      rows: schema && name ? tableNamed(nameOfToken(schema), nameOfToken(name)) : this.#leaf(source),
      alias: aliasNamed(nameOfToken(alias)),
      ...(on && { on: this.condition(on) }),
    };
  }

  #leaf(text: string): Sql {
    const placed = placeTokens(text);
    if (!placed) return this.#text(text);
    let depth = 0;
    const at = placed.findIndex((token) => {
      if (token.text === '(' || token.text === '[') depth += 1;
      if (token.text === ')' || token.text === ']') depth -= 1;
      // Not `operator(pg_catalog.=)`, which is one token, too.
      return depth === 0 && token.text === '=' && token.end - token.start === 1;
    });
    if (at < 1) return this.#operand(placed, text);
    const left = this.#operand(placed.slice(0, at), text);
    return comparisonOf(left, '=', this.#operand(placed.slice(at + 1), text));
  }

  #operand(placed: readonly PlacedToken[], text: string): Sql {
    const tokens = placed.map((token) => token.text);
    const [row, dot, column] = tokens;
    if (tokens.length === 3 && dot === '.' && isQuotedName(column)) {
      if (row === ROW) return columnOf(this.#row, nameOfToken(column!));
      if (this.#aliases.has(row!)) return columnOf(aliasNamed(nameOfToken(row!)), nameOfToken(column!));
    }
    const read = readComparison(tokens);
    const value = this.#tokens(placed, text);
    const isConstant = read.kind === 'operand' && (read.of.kind === 'session' || read.of.kind === 'constant');
    return isConstant ? constant(value) : value;
  }

  /** Text that a rule's row, aliases and parameters are put into. */
  #tokens(placed: readonly PlacedToken[], text: string): Sql {
    const parts: Sql[] = [];
    let end = placed[0]?.start ?? 0;
    placed.forEach((token, index) => {
      const [before, next] = [placed[index - 1]?.text, placed[index + 1]?.text];
      parts.push(raw(text.slice(end, token.start)));
      end = token.end;
      if (token.text === ROW) parts.push(next === '.' ? this.#row : wholeRow(this.#row));
      else if (before !== '.' && this.#aliases.has(token.text))
        parts.push(aliasNamed(nameOfToken(token.text)));
      else if (token.text === '(') parts.push(OPEN);
      else if (token.text === ')') parts.push(CLOSE);
      else {
        if (next === '(' && before !== '.' && FUNCTIONS.has(token.text)) parts.push(raw('pg_catalog.'));
        parts.push(this.#text(text.slice(token.start, token.end)));
      }
    });
    return join(parts, '');
  }

  #text(text: string): Sql {
    const { nodes } = readRule(text).sql;
    const own = nodes.map((node) => (node.kind === 'parameter' ? this.#parameters.shift()! : node));
    return bindRow({ nodes: own }, this.#row);
  }
}
