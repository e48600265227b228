// default · source
import { source as declareSource } from "engine/contract";

export const source = declareSource({
  name: "default",
  kind: "postgres",
  postgres: 18,
  types: {
    ".line_of_sale": { kind: "row" },
    ".region_report": { kind: "row" },
    "public.sold_line": { kind: "composite" },
  },
});
