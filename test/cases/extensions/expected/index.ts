// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { saleAccess } from "./sources/default/public/sale.access.ts";
import { shopAccess } from "./sources/default/public/shop.access.ts";
import { tag } from "./sources/default/public/tag.table.ts";
import { tagGroupBy } from "./sources/default/public/tag_group_by.table.ts";
import { saved } from "./saved/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    saleAccess,
    shopAccess,
    tag,
    tagGroupBy,
  ],
  functions: [
  ],
  saved,
});
