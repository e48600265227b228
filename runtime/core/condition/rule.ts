/**
 * Rules as generated files hold them: SQL text with named holes.
 *
 *   {row}                                 the row that the rule is about
 *   {session.x-engine-user-id::integer}   a session variable of the request, cast to the type
 *   {{ and }}                             braces that belong to the SQL
 *
 * Aliases inside rules are `_r` and a number, aliases of requests end in `#` and a number (`"ticket#1"`): two disjoint
 * namespaces, so that no outer alias can be captured by an inner EXISTS. GraphQL has no names with `#`, so a client's response
 * name cannot capture either.
 */

import type { RuleText } from '../contract/shapes.ts';
import type { RuleReference } from '../reason.ts';
import { lazy } from '../remember.ts';
import { row, type Sql, type SqlNode } from '../sql/fragment.ts';
import { parseCondition } from './parse.ts';
import { printLine } from './print.ts';
import { type Condition, conjuncts } from './tree.ts';

/** Prefix of every alias that a rule introduces. */
export const RULE_ALIAS = '_r';

/** Stands between what an alias of a request is for and its number. */
export const REQUEST_ALIAS = '#';

/** A rule or one of its conditions: as SQL, with `{row}` as a node, and as a tree. */
export interface RulePart {
  readonly sql: Sql;
  readonly condition: Condition;
}

/** A rule, read once. */
export interface Rule extends RulePart {
  readonly text: RuleText;
  /** The conditions that `and` connects, in order: one where the text cannot be read. */
  readonly conditions: readonly RulePart[];
}

/**
 * Reads rule text; each part when it is asked for first.
 * `sql` throws for an unknown hole or a lone brace: a generated file was edited wrongly.
 */
export function readRule(text: RuleText): Rule {
  const sql = lazy(() => readHoles(text));
  const condition = lazy(() => parseCondition(text));
  const conditions = lazy(() =>
    conjuncts(condition()).map((each) => ({ sql: readHoles(printLine(each)), condition: each })),
  );
  return {
    text,
    get sql() {
      return sql();
    },
    get condition() {
      return condition();
    },
    get conditions() {
      return conditions();
    },
  };
}

/** The SQL with a reference at its session variables, for requests that lack one. */
export function referring({ nodes }: Sql, rule: RuleReference): Sql {
  return {
    nodes: nodes.map((node) =>
      node.kind === 'parameter' && node.source.from === 'session' ? { ...node, rule } : node,
    ),
  };
}

/** Prints a fragment made of texts, the row and session variables as rule text. */
export function ruleText(fragment: Sql): RuleText {
  return fragment.nodes.map(nodeText).join('');
}

function nodeText(node: SqlNode): string {
  if (node.kind === 'text') return node.text.replaceAll('{', '{{').replaceAll('}', '}}');
  if (node.kind === 'row') return '{row}';
  if (node.source.from === 'session') return `{session.${node.source.name}::${node.type}}`;
  if (node.source.from === 'session-object') return `{session::${node.type}}`;
  throw new Error('a rule cannot hold a value of a request');
}

/** Functions of PostgreSQL that rules call by name alone. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  `array_agg avg bool_and bool_or btrim cardinality chr clock_timestamp concat concat_ws convert_from convert_to corr count
  covar_pop covar_samp current_setting decode encode every format generate_series hashtextextended json_agg json_build_array
  json_build_object json_object_agg jsonb_agg jsonb_build_object localtimestamp lower max md5 min now pg_current_snapshot
  pg_current_xact_id pg_snapshot_xmax pg_snapshot_xmin pg_visible_in_snapshot regr_avgx regr_avgy regr_count regr_intercept
  regr_r2 regr_slope regr_sxx regr_sxy regr_syy row_number row_to_json set_config starts_with statement_timestamp stddev
  stddev_pop stddev_samp string_agg sum to_json to_jsonb upper var_pop var_samp variance`.split(/\s+/),
);

/** Texts and quoted names, which are skipped, and one of these functions that is called without a schema. */
const CALL = new RegExp(
  `'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\\w.$])(${[...FUNCTIONS].join('|')})(?=\\()`,
  'gi',
);

/**
 * Qualifies the functions of PostgreSQL that a rule calls. Functions of users are quoted wherever they are named, so one that is
 * not is PostgreSQL's; by its name alone, a function of a user that takes exactly the given types would be called instead.
 */
function withQualifiedCalls(text: string): string {
  return text.includes('(')
    ? text.replace(CALL, (all: string, name: string | undefined) => (name ? `pg_catalog.${all}` : all))
    : text;
}

const HOLE = /\{\{|\}\}|\{row\}|\{session::([^{}]+)\}|\{session\.([^{}:]+)::([^{}]+)\}|[{}]/g;

function readHoles(text: RuleText): Sql {
  const nodes: SqlNode[] = [];
  let literal = '';
  let end = 0;
  const flush = () => {
    if (literal !== '') nodes.push({ kind: 'text', text: withQualifiedCalls(literal) });
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
      else if (match[2] !== undefined)
        nodes.push({ kind: 'parameter', source: { from: 'session', name: match[2] }, type: match[3]! });
      else
        throw new Error(
          `brace that is neither doubled nor a known hole at position ${match.index} of the rule ${text}`,
        );
    }
  }
  literal += text.slice(end);
  flush();
  return { nodes };
}
