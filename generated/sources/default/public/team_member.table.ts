// default · public.team_member · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const teamMember = table(source, {
  schema: "public",
  name: "team_member",
  kind: "table",
  graphqlName: "team_member",
  description: "Which agent works in which team",
  columns: {
    team_id: { type: "int4", notNull: true },
    agent_id: { type: "int4", notNull: true },
    is_lead: { type: "bool", notNull: true, hasDefault: true },
    joined_at: { type: "date", notNull: true, hasDefault: true },
  },
  relationships: {
    agent: { kind: "object", target: "public.agent", columns: { agent_id: "id" }, notNull: true, unique: true },
    team: { kind: "object", target: "public.team", columns: { team_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "team_member_pkey", columns: ["team_id", "agent_id"] },
  onDelete: { "public.agent": "cascade", "public.team": "cascade" },
}, {
  query: { team_member: "select", team_member_by_pk: "select_by_pk", team_member_aggregate: "select_aggregate" },
  subscription: { team_member_stream: "select_stream" },
  mutation: {
    insert_team_member: "insert",
    insert_team_member_one: "insert_one",
    update_team_member: "update",
    update_team_member_by_pk: "update_by_pk",
    update_team_member_many: "update_many",
    delete_team_member: "delete",
    delete_team_member_by_pk: "delete_by_pk",
  },
});

export type TeamMember = Row<typeof teamMember>;
export type TeamMemberWhere = Where<typeof teamMember>;
