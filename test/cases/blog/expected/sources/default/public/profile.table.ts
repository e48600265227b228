// default · public.profile · shape and root fields
import { type Row, table, type Where } from "engine/contract";
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
}, {
  query: { profile: "select", profile_by_pk: "select_by_pk", profile_aggregate: "select_aggregate" },
  subscription: { profile_stream: "select_stream" },
  mutation: {
    insert_profile: "insert",
    insert_profile_one: "insert_one",
    update_profile: "update",
    update_profile_by_pk: "update_by_pk",
    update_profile_many: "update_many",
    delete_profile: "delete",
    delete_profile_by_pk: "delete_by_pk",
  },
});

export type Profile = Row<typeof profile>;
export type ProfileWhere = Where<typeof profile>;
