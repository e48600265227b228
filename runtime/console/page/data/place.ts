/** Place of the data page: a table, its conditions and order. All of it is in the address, so that it can be kept and sent. */
import { parseExactJson } from '../../../core/json/exact-json.ts';
import { address } from '../route.ts';
import type { Asked, Line } from './request.ts';

export const EVERYTHING: Asked = { lines: [], text: '' };

export interface Place {
  readonly source: string;
  readonly table: string;
  readonly asked: Asked;
}

/** The place of an address; undefined where it names no table. */
export function placeOf([source, table, asked]: readonly string[]): Place | undefined {
  if (source === undefined || table === undefined) return undefined;
  return { source, table, asked: askedOf(asked) };
}

/** Addresses may be typed by hand: what cannot be read asks for nothing. */
function askedOf(step: string | undefined): Asked {
  try {
    const { lines = [], text = '', order } = parseExactJson(step ?? '{}') as Partial<Asked>;
    const isLine = (line: Line) =>
      [line?.column, line?.operator, line?.value].every((part) => typeof part === 'string');
    if (!Array.isArray(lines) || !lines.every(isLine) || typeof text !== 'string') return EVERYTHING;
    return { lines, text, ...(typeof order?.column === 'string' && { order }) };
  } catch {
    return EVERYTHING;
  }
}

export function dataAddress({ source, table, asked }: Place): string {
  const { lines, text, order } = asked;
  const isAny = lines.length > 0 || text !== '' || order !== undefined;
  return address('data', source, table, ...(isAny ? [JSON.stringify(asked)] : []));
}

let wanted: string | undefined;

/** Goes to an address, and shows its rows: whoever follows a link within the page asks for them. */
export function goTo(place: Place): void {
  wanted = dataAddress(place);
  location.hash = wanted;
}

/** Whether the rows of the current address were asked for by such a link. An address from elsewhere runs nothing. */
export function isWanted(): boolean {
  const is = wanted === location.hash;
  wanted = undefined;
  return is;
}
