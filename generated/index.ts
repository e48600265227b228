// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { agentAccess } from "./sources/default/public/agent.access.ts";
import { articleAccess } from "./sources/default/public/article.access.ts";
import { articleFeedbackAccess } from "./sources/default/public/article_feedback.access.ts";
import { attachmentAccess } from "./sources/default/public/attachment.access.ts";
import { categoryAccess } from "./sources/default/public/category.access.ts";
import { customerAccess } from "./sources/default/public/customer.access.ts";
import { messageAccess } from "./sources/default/public/message.access.ts";
import { plan } from "./sources/default/public/plan.table.ts";
import { ratingAccess } from "./sources/default/public/rating.access.ts";
import { savedReplyAccess } from "./sources/default/public/saved_reply.access.ts";
import { tagAccess } from "./sources/default/public/tag.access.ts";
import { teamAccess } from "./sources/default/public/team.access.ts";
import { teamMemberAccess } from "./sources/default/public/team_member.access.ts";
import { teamWorkloadAccess } from "./sources/default/public/team_workload.access.ts";
import { tenantAccess } from "./sources/default/public/tenant.access.ts";
import { ticketAccess } from "./sources/default/public/ticket.access.ts";
import { ticketEventAccess } from "./sources/default/public/ticket_event.access.ts";
import { ticketPriority } from "./sources/default/public/ticket_priority.table.ts";
import { ticketStatus } from "./sources/default/public/ticket_status.table.ts";
import { ticketTagAccess } from "./sources/default/public/ticket_tag.access.ts";
import { searchArticles } from "./sources/default/functions/search_articles.ts";
import { events } from "./events/index.ts";
import { types as actionTypes } from "./actions/types.ts";
import { exportTicketsAction } from "./actions/export_tickets.ts";
import { suggestReplyAction } from "./actions/suggest_reply.ts";
import { saved } from "./saved/index.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    agentAccess,
    articleAccess,
    articleFeedbackAccess,
    attachmentAccess,
    categoryAccess,
    customerAccess,
    messageAccess,
    plan,
    ratingAccess,
    savedReplyAccess,
    tagAccess,
    teamAccess,
    teamMemberAccess,
    teamWorkloadAccess,
    tenantAccess,
    ticketAccess,
    ticketEventAccess,
    ticketPriority,
    ticketStatus,
    ticketTagAccess,
  ],
  functions: [
    searchArticles,
  ],
  events,
  actions: {
    types: actionTypes,
    actions: [
      exportTicketsAction,
      suggestReplyAction,
    ],
  },
  saved,
});
