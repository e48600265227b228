/** Which rows a data operation reads and which columns of them, as far as no table is needed to check it. */

import type { Codec } from '../../metadata/codec.ts';
import { argument, choose, object, optional, requiredList } from '../../metadata/combinators.ts';
import { integer, jsonObject, name, text } from '../../metadata/values.ts';
import type { ColumnItem } from '../data/columns.ts';
import type { OrderItem } from '../data/order-by.ts';

/** One of the words, in any case. */
function word<const Word extends string>(...words: readonly Word[]): Codec<Word> {
  return argument(text, (given, fail) => {
    const found = words.find((each) => each === given.toLowerCase());
    if (found === undefined) {
      const list = words.map((each) => JSON.stringify(each)).join(', ');
      fail(`expected one of ${list}, but encountered ${JSON.stringify(given)}`);
    }
    return found!;
  });
}

const orderObject = object({
  column: text,
  type: optional(word('asc', 'desc')),
  nulls: optional(word('first', 'last')),
});

/** `"+col"`, `"-col"`, `"rel.col"` or `{column, type, nulls}`. */
const orderItem: Codec<OrderItem> = choose<OrderItem>((input) =>
  typeof input === 'string' ? text : orderObject,
);

/** One item or a list of them. */
const orderBy: Codec<OrderItem | readonly OrderItem[]> = choose<OrderItem | readonly OrderItem[]>((input) =>
  Array.isArray(input) ? requiredList(orderItem) : orderItem,
);

export const rowsArguments = {
  where: optional(jsonObject),
  order_by: optional(orderBy),
  limit: optional(integer),
  offset: optional(integer),
};

/** A name, a star, or a relationship with the columns behind it. */
const columnItem: Codec<ColumnItem> = choose<ColumnItem>((input) =>
  typeof input === 'string' ? text : relationshipItem,
);

/** The list; a star may be given without one. */
export const columnItems: Codec<readonly ColumnItem[]> = choose<readonly ColumnItem[]>((input) =>
  input === '*' || input === '*.*' ? argument(text, (star) => [star]) : requiredList(columnItem),
);

const relationshipItem: Codec<Exclude<ColumnItem, string>> = object({
  name,
  alias: optional(name),
  columns: columnItems,
  ...rowsArguments,
});
