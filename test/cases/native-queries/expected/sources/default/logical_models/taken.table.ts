// default · logical model taken · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const taken = table(source, {
  schema: "",
  name: "taken",
  kind: "view",
  graphqlName: "taken",
  columns: {
    list_aggregate: { type: "int4", promised: true, readOnly: true },
    list: { type: "jsonb", promised: true, readOnly: true, field: null, nested: true },
  },
  bodyHash: "42b3e53117d73ad43e990ac559da710c",
  readOnly: ["insert", "update", "delete"],
}, {
});

export type Taken = Row<typeof taken>;
export type TakenWhere = Where<typeof taken>;
