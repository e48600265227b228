// default · public.plan · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const plan = table(source, {
  schema: "public",
  name: "plan",
  kind: "table",
  graphqlName: "plan",
  description: "What a tenant has subscribed to",
  columns: {
    value: { type: "text", notNull: true },
    comment: { type: "text", notNull: true },
  },
  primaryKey: { name: "plan_pkey", columns: ["value"] },
  enumValues: {
    business: "Any number of agents, answers within a day",
    free: "One team, no guarantees",
    team: "Up to ten agents",
  },
}, {
  query: { plan: "select", plan_by_pk: "select_by_pk", plan_aggregate: "select_aggregate" },
  subscription: { plan_stream: "select_stream" },
  mutation: {
    insert_plan: "insert",
    insert_plan_one: "insert_one",
    update_plan: "update",
    update_plan_by_pk: "update_by_pk",
    update_plan_many: "update_many",
    delete_plan: "delete",
    delete_plan_by_pk: "delete_by_pk",
  },
});

export type Plan = Row<typeof plan>;
export type PlanWhere = Where<typeof plan>;
