// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { localAuthorResolvers } from "./sources/default/public/local_author.resolvers.ts";
import { shopOrderItemResolvers } from "./sources/default/shop/order_item.resolvers.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    localAuthorResolvers,
    shopOrderItemResolvers,
  ],
  functions: [
  ],
});
