// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { localAuthor } from "./sources/default/public/local_author.table.ts";
import { shopOrderItemAccess } from "./sources/default/shop/order_item.access.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    localAuthor,
    shopOrderItemAccess,
  ],
  functions: [
  ],
});
