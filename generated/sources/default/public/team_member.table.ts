// default · public.team_member · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
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
}, standardFields("team_member"));

export type TeamMember = Row<typeof teamMember>;
export type TeamMemberWhere = Where<typeof teamMember>;
