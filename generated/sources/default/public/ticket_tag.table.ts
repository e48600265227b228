// default · public.ticket_tag · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const ticketTag = table(source, {
  schema: "public",
  name: "ticket_tag",
  kind: "table",
  graphqlName: "ticket_tag",
  description: "The tags of a ticket",
  columns: {
    ticket_id: { type: "int4", notNull: true },
    tag_id: { type: "int4", notNull: true },
  },
  relationships: {
    tag: { kind: "object", target: "public.tag", columns: { tag_id: "id" }, notNull: true, unique: true },
    ticket: { kind: "object", target: "public.ticket", columns: { ticket_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "ticket_tag_pkey", columns: ["ticket_id", "tag_id"] },
  onDelete: { "public.tag": "cascade", "public.ticket": "cascade" },
}, standardFields("ticket_tag"));

export type TicketTag = Row<typeof ticketTag>;
export type TicketTagWhere = Where<typeof ticketTag>;
