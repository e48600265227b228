/** Where tables and the lines between them are in a picture. */
import api, { type ELK, type ElkNode } from 'elkjs/lib/elk-api.js';
import { keyOf } from '../../../core/names.ts';
import type { DiagramTable } from '../../proposal-questions.ts';
import { nameOf } from './operations.ts';

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

interface Box {
  /** Key of the table. */
  readonly id: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

interface Line {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  /** It leads straight to another group of tables, below what is between. */
  readonly isFar: boolean;
}

/** Pixels: of a box, of its border, and of a letter of the font that boxes have. */
export const HEIGHT = 30;
export const PADDING = 10;
const LETTER = 7.3;

/** Tables up to which every line has a way around the others. Beyond, the lines of the few tables that all others have to do with are most of the picture. */
const FEW = 40;

let elk: ELK | undefined;
const known = new Map<string, Promise<Layout>>();

/** A picture is laid out once in a visit. */
export function layoutOf(tables: readonly DiagramTable[]): Promise<Layout> {
  const key = JSON.stringify(tables.map((each) => [keyOf(each), each.relationships]));
  const found = known.get(key);
  if (found) return found;
  const made = layOut(tables);
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

async function layOut(tables: readonly DiagramTable[]): Promise<Layout> {
  elk ??= new api.default({ workerUrl: '/console/elk-worker.js' });
  const pairs = related(tables);
  const near = tables.length > FEW ? groups(pairs) : pairs;
  const graph: ElkNode = {
    id: 'source',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.edgeRouting': 'POLYLINE',
      'elk.aspectRatio': '1.6',
      'elk.layered.spacing.nodeNodeBetweenLayers': '40',
      'elk.spacing.nodeNode': '14',
      'elk.spacing.componentComponent': '30',
    },
    children: tables.map((table) => ({
      id: keyOf(table),
      width: nameOf(table).length * LETTER + 2 * PADDING,
      height: HEIGHT,
    })),
    edges: [...near].map(([id, [from, to]]) => ({ id, sources: [from], targets: [to] })),
  };
  const { width = 0, height = 0, children = [], edges = [] } = await elk.layout(graph);
  const names = new Map(tables.map((table) => [keyOf(table), nameOf(table)]));
  const boxes = children.map(({ id, x = 0, y = 0, width: wide = 0 }) => ({
    id,
    name: names.get(id)!,
    x,
    y,
    width: wide,
  }));
  const middles = new Map(boxes.map((box) => [box.id, `${box.x + box.width / 2},${box.y + HEIGHT / 2}`]));
  const ways = new Map(edges.map(({ id, sections = [] }) => [id, sections.map(pathOf).join(' ')]));
  const lines = [...pairs].map(([id, [from, to]]) => ({
    from,
    to,
    path: ways.get(id) ?? `M${middles.get(from)} L${middles.get(to)}`,
    isFar: !ways.has(id),
  }));
  return { width, height, boxes, lines };
}

type Pairs = ReadonlyMap<string, readonly [from: string, to: string]>;

/** Tables with a relationship; both directions are one line. */
export function related(tables: readonly DiagramTable[]): Pairs {
  const keys = new Set(tables.map(keyOf));
  const pairs = new Map<string, readonly [from: string, to: string]>();
  for (const table of tables)
    for (const { to } of table.relationships)
      if (to !== undefined && keys.has(to)) pairs.set(pairKey(keyOf(table), to), [keyOf(table), to]);
  return pairs;
}

function pairKey(left: string, right: string): string {
  return JSON.stringify([left, right].sort());
}

/**
 * Of each table the line to the one with the fewest lines, which it belongs to most: lines of an order lead to the order, and not to the user whom
 * everything belongs to.
 */
export function groups(pairs: Pairs): Pairs {
  const others = new Map<string, string[]>();
  const join = (from: string, to: string) => {
    const list = others.get(from);
    if (list) list.push(to);
    else others.set(from, [to]);
  };
  for (const [from, to] of pairs.values()) {
    join(from, to);
    join(to, from);
  }
  const lines = (key: string) => others.get(key)!.length;
  const nearest = new Map<string, string | undefined>(
    [...others].map(([key, list]) => {
      const [first] = list
        .filter((each) => each !== key)
        .sort((left, right) => lines(left) - lines(right) || (left < right ? -1 : 1));
      return [key, first];
    }),
  );
  // A table that leads to itself has that line in any group.
  return new Map(
    [...pairs].filter(
      ([, [from, to]]) => from === to || nearest.get(from) === to || nearest.get(to) === from,
    ),
  );
}

type Section = NonNullable<NonNullable<ElkNode['edges']>[number]['sections']>[number];

function pathOf({ startPoint, bendPoints = [], endPoint }: Section): string {
  return `M${[startPoint, ...bendPoints, endPoint].map(({ x, y }) => `${x},${y}`).join(' L')}`;
}
