// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { mark } from "./sources/default/public/mark.table.ts";
import { note } from "./sources/default/public/note.table.ts";
import { saleAccess } from "./sources/default/public/sale.access.ts";
import { shopAccess } from "./sources/default/public/shop.access.ts";
import { tag } from "./sources/default/public/tag.table.ts";
import { tagGroupBy } from "./sources/default/public/tag_group_by.table.ts";
import { types as actionTypes } from "./actions/types.ts";
import { myNoteGroupByAction } from "./actions/my_note_group_by.ts";
import { saved } from "./saved/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    mark,
    note,
    saleAccess,
    shopAccess,
    tag,
    tagGroupBy,
  ],
  functions: [
  ],
  actions: {
    types: actionTypes,
    actions: [
      myNoteGroupByAction,
    ],
  },
  saved,
});
