// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { articleResolvers } from "./sources/default/public/article.resolvers.ts";
import { authorResolvers } from "./sources/default/public/author.resolvers.ts";
import { authorArticleCountResolvers } from "./sources/default/public/author_article_count.resolvers.ts";
import { companyResolvers } from "./sources/default/public/company.resolvers.ts";
import { memberResolvers } from "./sources/default/public/member.resolvers.ts";
import { profileResolvers } from "./sources/default/public/profile.resolvers.ts";
import { publishedArticleResolvers } from "./sources/default/public/published_article.resolvers.ts";
import { statusResolvers } from "./sources/default/public/status.resolvers.ts";
import { tagResolvers } from "./sources/default/public/tag.resolvers.ts";
import { searchArticlesResolvers } from "./sources/default/functions/search_articles.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    articleResolvers,
    authorResolvers,
    authorArticleCountResolvers,
    companyResolvers,
    memberResolvers,
    profileResolvers,
    publishedArticleResolvers,
    statusResolvers,
    tagResolvers,
  ],
  functions: [
    searchArticlesResolvers,
  ],
});
