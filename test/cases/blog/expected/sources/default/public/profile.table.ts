// default · public.profile · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const profile = table(source, {
  schema: "public",
  name: "profile",
  kind: "table",
  graphqlName: "profile",
  columns: {
    author_id: { type: "int4", notNull: true },
    bio: { type: "text" },
  },
  primaryKey: { name: "profile_pkey", columns: ["author_id"] },
  references: [{ columns: ["author_id"], target: "public.author" }],
}, standardFields("profile"));

export type Profile = Row<typeof profile>;
export type ProfileWhere = Where<typeof profile>;
