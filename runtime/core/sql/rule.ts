/**
 * Rules as generated files hold them: SQL text with named holes.
 *
 *   {row}                          the row that the rule speaks of
 *   {session.x-engine-user-id::integer}   a session variable of the request, cast to the type
 *   {{ and }}                      braces that belong to the SQL
 *
 * `ruleText` prints a fragment in this form, `parseRule` reads it back; the compiler uses the first, the loader the
 * second. Aliases inside rules begin with `_r`, aliases of requests with `_q`: two disjoint namespaces, so that no
 * outer alias can be captured by an inner EXISTS.
 */
import type { RuleReference } from '../reason.ts';
import { row, type Sql, type SqlNode } from './fragment.ts';

/** Prefix of every alias that a rule introduces. */
export const RULE_ALIAS = '_r';

/** Prefix of every alias that a request introduces. */
export const REQUEST_ALIAS = '_q';

/** Prints a fragment made of texts, the row and session variables as rule text. */
export function ruleText(fragment: Sql): string {
  return fragment.nodes.map(nodeText).join('');
}

function nodeText(node: SqlNode): string {
  if (node.kind === 'text') return node.text.replaceAll('{', '{{').replaceAll('}', '}}');
  if (node.kind === 'row') return '{row}';
  if (node.source.from === 'session') return `{session.${node.source.name}::${node.type}}`;
  if (node.source.from === 'session-object') return `{session::${node.type}}`;
  throw new Error('a rule cannot hold a value of a request');
}

const WORD = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\{[^{}]*\}|[()]|\b(?:and|or|between|case|end)\b/gi;

/** The conditions that a rule joins with `and`, in order; one where it joins them otherwise. */
export function ruleConditions(text: string): readonly string[] {
  const conditions: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const word = found.toLowerCase();
    if (word === '(' || word === 'case') depth += 1;
    else if (word === ')' || word === 'end') depth -= 1;
    else if (depth > 0) continue;
    else if (word === 'or' || word === 'between') return [text];
    else if (word === 'and') {
      conditions.push(text.slice(start, index).trim());
      start = index + word.length;
    }
  }
  return [...conditions, text.slice(start).trim()];
}

const HOLE = /\{\{|\}\}|\{row\}|\{session::([^{}]+)\}|\{session\.([^{}:]+)::([^{}]+)\}|[{}]/g;

/**
 * Reads rule text. Throws on an unknown hole or a lone brace: a generated file was edited wrongly.
 * @param rule whose text it is, for denials
 */
export function parseRule(text: string, rule?: RuleReference): Sql {
  const nodes: SqlNode[] = [];
  let literal = '';
  let end = 0;
  const flush = () => {
    if (literal !== '') nodes.push({ kind: 'text', text: literal });
    literal = '';
  };
  for (const match of text.matchAll(HOLE)) {
    literal += text.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[0] === '{{') literal += '{';
    else if (match[0] === '}}') literal += '}';
    else {
      flush();
      if (match[0] === '{row}') nodes.push(...row().nodes);
      else if (match[1] !== undefined)
        nodes.push({ kind: 'parameter', source: { from: 'session-object' }, type: match[1] });
      else if (match[2] !== undefined) {
        const source = { from: 'session', name: match[2] } as const;
        nodes.push({ kind: 'parameter', source, type: match[3]!, ...(rule ? { rule } : {}) });
      } else throw new Error(`unknown hole at position ${match.index} of the rule ${text}`);
    }
  }
  literal += text.slice(end);
  flush();
  return { nodes };
}
