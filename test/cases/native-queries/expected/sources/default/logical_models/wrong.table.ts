// default · logical model wrong · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const wrong = table(source, {
  schema: "",
  name: "wrong",
  kind: "view",
  graphqlName: "wrong",
  columns: {
    inner: { type: "jsonb", promised: true, readOnly: true, field: null, nested: true },
  },
  relationships: {
    inner: { kind: "object", target: ".wrong_inner", columns: {}, nested: "inner" },
  },
  bodyHash: "773e4da52658cf2ad04ab927fd271e93",
  readOnly: ["insert", "update", "delete"],
}, {
});

export type Wrong = Row<typeof wrong>;
export type WrongWhere = Where<typeof wrong>;
