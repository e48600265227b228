// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { articleResolvers } from "./sources/default/public/article.resolvers.ts";
import { authorResolvers } from "./sources/default/public/author.resolvers.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    articleResolvers,
    authorResolvers,
  ],
  functions: [
  ],
});
