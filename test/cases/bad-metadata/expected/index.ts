// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { articleAccess } from "./sources/default/public/article.access.ts";
import { author } from "./sources/default/public/author.table.ts";
import { events } from "./events/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    articleAccess,
    author,
  ],
  functions: [
  ],
  events,
});
