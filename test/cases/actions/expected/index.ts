// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { accountAccess } from "./sources/default/public/account.access.ts";
import { entry } from "./sources/default/public/entry.table.ts";
import { types as actionTypes } from "./actions/types.ts";
import { findAction } from "./actions/find.ts";
import { lostAction } from "./actions/lost.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    accountAccess,
    entry,
  ],
  functions: [
  ],
  actions: {
    types: actionTypes,
    actions: [
      findAction,
      lostAction,
    ],
  },
});
