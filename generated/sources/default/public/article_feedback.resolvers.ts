// default · public.article_feedback · resolvers
import {
  deleteRow,
  deleteRows,
  insertRow,
  insertRows,
  resolvers,
  selectAggregate,
  selectByKey,
  selectRows,
  updateMany,
  updateRow,
  updateRows,
} from "engine/contract";
import { articleFeedbackAccess } from "./article_feedback.access.ts";

export const articleFeedbackResolvers = resolvers(articleFeedbackAccess, {
  query: {
    article_feedback: {
      field: "select",
      resolve: (selection, args, requester) => selectRows(articleFeedbackAccess, requester, selection, args),
    },
    article_feedback_by_pk: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(articleFeedbackAccess, requester, selection, args),
    },
    article_feedback_aggregate: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(articleFeedbackAccess, requester, selection, args),
    },
  },
  mutation: {
    insert_article_feedback: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(articleFeedbackAccess, requester, selection, args),
    },
    insert_article_feedback_one: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(articleFeedbackAccess, requester, selection, args),
    },
    update_article_feedback: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(articleFeedbackAccess, requester, selection, args),
    },
    update_article_feedback_by_pk: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(articleFeedbackAccess, requester, selection, args),
    },
    update_article_feedback_many: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(articleFeedbackAccess, requester, selection, args),
    },
    delete_article_feedback: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(articleFeedbackAccess, requester, selection, args),
    },
    delete_article_feedback_by_pk: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(articleFeedbackAccess, requester, selection, args),
    },
  },
});
