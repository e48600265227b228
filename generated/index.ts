// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { agentResolvers } from "./sources/default/public/agent.resolvers.ts";
import { articleResolvers } from "./sources/default/public/article.resolvers.ts";
import { articleFeedbackResolvers } from "./sources/default/public/article_feedback.resolvers.ts";
import { attachmentResolvers } from "./sources/default/public/attachment.resolvers.ts";
import { categoryResolvers } from "./sources/default/public/category.resolvers.ts";
import { customerResolvers } from "./sources/default/public/customer.resolvers.ts";
import { messageResolvers } from "./sources/default/public/message.resolvers.ts";
import { planResolvers } from "./sources/default/public/plan.resolvers.ts";
import { ratingResolvers } from "./sources/default/public/rating.resolvers.ts";
import { savedReplyResolvers } from "./sources/default/public/saved_reply.resolvers.ts";
import { tagResolvers } from "./sources/default/public/tag.resolvers.ts";
import { teamResolvers } from "./sources/default/public/team.resolvers.ts";
import { teamMemberResolvers } from "./sources/default/public/team_member.resolvers.ts";
import { teamWorkloadResolvers } from "./sources/default/public/team_workload.resolvers.ts";
import { tenantResolvers } from "./sources/default/public/tenant.resolvers.ts";
import { ticketResolvers } from "./sources/default/public/ticket.resolvers.ts";
import { ticketEventResolvers } from "./sources/default/public/ticket_event.resolvers.ts";
import { ticketPriorityResolvers } from "./sources/default/public/ticket_priority.resolvers.ts";
import { ticketStatusResolvers } from "./sources/default/public/ticket_status.resolvers.ts";
import { ticketTagResolvers } from "./sources/default/public/ticket_tag.resolvers.ts";
import { searchArticlesResolvers } from "./sources/default/functions/search_articles.ts";
import { saved } from "./saved/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    agentResolvers,
    articleResolvers,
    articleFeedbackResolvers,
    attachmentResolvers,
    categoryResolvers,
    customerResolvers,
    messageResolvers,
    planResolvers,
    ratingResolvers,
    savedReplyResolvers,
    tagResolvers,
    teamResolvers,
    teamMemberResolvers,
    teamWorkloadResolvers,
    tenantResolvers,
    ticketResolvers,
    ticketEventResolvers,
    ticketPriorityResolvers,
    ticketStatusResolvers,
    ticketTagResolvers,
  ],
  functions: [
    searchArticlesResolvers,
  ],
  saved,
});
