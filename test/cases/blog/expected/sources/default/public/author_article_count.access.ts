// default · public.author_article_count · access
import { access } from "engine/contract";
import { authorArticleCount } from "./author_article_count.table.ts";

export const authorArticleCountAccess = access(authorArticleCount, {
});
