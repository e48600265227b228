// default · source
import { source as declareSource } from "engine/contract";

export const source = declareSource({
  name: "default",
  kind: "postgres",
  types: {
    "public.article": { kind: "row" },
    "public.author": { kind: "row" },
  },
});
