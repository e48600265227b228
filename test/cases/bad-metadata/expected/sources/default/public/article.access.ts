// default · public.article · access
import { access, EVERY_ROW } from "engine/contract";
import { article } from "./article.table.ts";

export const articleAccess = access(article, {
  insert: {
    better: {
      columns: ["id", "author_id", "title"],
      check: `{row}."title" = 'x'`,
    },
    good: {
      columns: ["id", "author_id", "title"],
      check: EVERY_ROW,
    },
  },
});
