// default · public.plan · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
}, standardFields("plan"));

export type Plan = Row<typeof plan>;
export type PlanWhere = Where<typeof plan>;
