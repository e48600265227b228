// default · public.rating · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const rating = table(source, {
  schema: "public",
  name: "rating",
  kind: "table",
  graphqlName: "rating",
  description: "How content the customer was with a solved ticket",
  columns: {
    ticket_id: { type: "int4", notNull: true },
    score: { type: "int2", notNull: true, description: "From 1 (not at all) to 5 (very)" },
    comment: { type: "text" },
    created_at: { type: "timestamptz", notNull: true, hasDefault: true },
  },
  relationships: {
    ticket: { kind: "object", target: "public.ticket", columns: { ticket_id: "id" }, notNull: true, unique: true },
  },
  primaryKey: { name: "rating_pkey", columns: ["ticket_id"] },
  onDelete: { "public.ticket": "cascade" },
}, standardFields("rating"));

export type Rating = Row<typeof rating>;
export type RatingWhere = Where<typeof rating>;
