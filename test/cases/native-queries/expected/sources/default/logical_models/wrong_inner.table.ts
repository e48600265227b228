// default · logical model wrong_inner · shape and root fields
import { type Row, table, type Where } from "engine/contract";
import { source } from "../source.ts";

export const wrongInner = table(source, {
  schema: "",
  name: "wrong_inner",
  kind: "view",
  graphqlName: "wrong_inner",
  columns: {
    product: { type: "int4", promised: true, readOnly: true },
    colour: { type: "text", promised: true, readOnly: true },
  },
  bodyHash: "b0609c64f4912c00a9725bfeb8065507",
  readOnly: ["insert", "update", "delete"],
}, {
});

export type WrongInner = Row<typeof wrongInner>;
export type WrongInnerWhere = Where<typeof wrongInner>;
