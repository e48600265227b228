// default · public.app · shape and root fields
import { type Row, standardFields, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const app = table(source, {
  schema: "public",
  name: "app",
  kind: "table",
  graphqlName: "app",
  columns: {
    id: { type: "int4", notNull: true },
    owner: { type: "text", notNull: true },
  },
  relationships: {
    items: { kind: "array", target: "public.item", columns: { id: "app_id" } },
  },
  primaryKey: { name: "app_pkey", columns: ["id"] },
}, standardFields("app"));

export type App = Row<typeof app>;
export type AppWhere = Where<typeof app>;
