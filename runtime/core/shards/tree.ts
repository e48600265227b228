/** The text of a statement as tokens nested by parentheses. Every name that this project writes into SQL is quoted. */

export interface Leaf {
  /** `text`: a string literal; `word`: a keyword, a number or the name of a function of Postgres, in lower case. */
  readonly kind: 'name' | 'text' | 'word' | 'sign';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

export interface Group {
  readonly kind: 'group';
  readonly nodes: readonly SqlTree[];
  /** Positions of the parentheses. */
  readonly start: number;
  readonly end: number;
}

export type SqlTree = Leaf | Group;

const TOKEN =
  /\bpg_catalog\.|\/\*.*?\*\/|\bE'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"((?:[^"]|"")*)"|::|\w+|[^\s\w]/gs;

/** @throws Error when parentheses do not match */
export function readTree(sql: string): readonly SqlTree[] {
  const open: { nodes: SqlTree[]; start: number }[] = [{ nodes: [], start: 0 }];
  for (const match of sql.matchAll(TOKEN)) {
    const [text, name] = match;
    const start = match.index;
    const end = start + text.length;
    // Functions of PostgreSQL, with its schema or without.
    if (text.startsWith('/*') || text === 'pg_catalog.') continue;
    if (text === '(') open.push({ nodes: [], start });
    else if (text === ')') {
      const group = open.pop()!;
      const outer = open.at(-1);
      if (!outer) throw new Error('a statement has a parenthesis that was not opened');
      outer.nodes.push({ kind: 'group', nodes: group.nodes, start: group.start, end });
    } else open.at(-1)!.nodes.push(leaf(text, name, start, end));
  }
  if (open.length > 1) throw new Error('a statement has a parenthesis that is not closed');
  return open[0]!.nodes;
}

function leaf(text: string, name: string | undefined, start: number, end: number): Leaf {
  if (name !== undefined) return { kind: 'name', value: name.replaceAll('""', '"'), start, end };
  if (text.endsWith("'")) return { kind: 'text', value: text, start, end };
  if (/^\w/.test(text)) return { kind: 'word', value: text.toLowerCase(), start, end };
  return { kind: 'sign', value: text, start, end };
}

export function isWord(node: SqlTree | undefined, ...words: readonly string[]): boolean {
  return node?.kind === 'word' && words.includes(node.value);
}

export function isSign(node: SqlTree | undefined, sign: string): boolean {
  return node?.kind === 'sign' && node.value === sign;
}

/** True for a group that holds a query. */
export function isQuery(node: SqlTree | undefined): boolean {
  return node?.kind === 'group' && isWord(node.nodes[0], 'select', 'with', 'insert', 'update', 'delete');
}

/** The groups that hold queries, at any depth below the nodes but not inside one another. */
export function queriesIn(nodes: readonly SqlTree[]): Group[] {
  return nodes.flatMap((node) =>
    node.kind !== 'group' ? [] : isQuery(node) ? [node] : queriesIn(node.nodes),
  );
}

/** The parts between separators of this level; a `case … end` is one part. */
export function splitBy(
  nodes: readonly SqlTree[],
  isSeparator: (node: SqlTree) => boolean,
): (readonly SqlTree[])[] {
  const parts: SqlTree[][] = [[]];
  let cases = 0;
  for (const node of nodes) {
    if (isWord(node, 'case')) cases += 1;
    else if (isWord(node, 'end')) cases -= 1;
    if (cases === 0 && isSeparator(node)) parts.push([]);
    else parts.at(-1)!.push(node);
  }
  return parts;
}
