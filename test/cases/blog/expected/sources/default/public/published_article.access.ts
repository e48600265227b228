// default · public.published_article · access
import { access, EVERY_ROW } from "engine/contract";
import { publishedArticle } from "./published_article.table.ts";

export const publishedArticleAccess = access(publishedArticle, {
  select: {
    reader: {
      columns: ["id", "title", "author_id"],
      where: EVERY_ROW,
    },
    visitor: {
      columns: ["id", "title", "author_id"],
      where: EVERY_ROW,
    },
  },
});
