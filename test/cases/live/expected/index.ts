// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { appAccess } from "./sources/default/public/app.access.ts";
import { busyAppAccess } from "./sources/default/public/busy_app.access.ts";
import { itemAccess } from "./sources/default/public/item.access.ts";
import { saved } from "./saved/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    appAccess,
    busyAppAccess,
    itemAccess,
  ],
  functions: [
  ],
  saved,
});
