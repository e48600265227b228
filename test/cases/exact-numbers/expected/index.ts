// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { itemAccess } from "./sources/default/public/item.access.ts";
import { events } from "./events/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    itemAccess,
  ],
  functions: [
  ],
  events,
});
