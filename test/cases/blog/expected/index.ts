// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { articleAccess } from "./sources/default/public/article.access.ts";
import { authorAccess } from "./sources/default/public/author.access.ts";
import { authorArticleCount } from "./sources/default/public/author_article_count.table.ts";
import { companyAccess } from "./sources/default/public/company.access.ts";
import { member } from "./sources/default/public/member.table.ts";
import { profileAccess } from "./sources/default/public/profile.access.ts";
import { publishedArticleAccess } from "./sources/default/public/published_article.access.ts";
import { status } from "./sources/default/public/status.table.ts";
import { tag } from "./sources/default/public/tag.table.ts";
import { searchArticles } from "./sources/default/functions/search_articles.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    articleAccess,
    authorAccess,
    authorArticleCount,
    companyAccess,
    member,
    profileAccess,
    publishedArticleAccess,
    status,
    tag,
  ],
  functions: [
    searchArticles,
  ],
});
