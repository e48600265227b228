// default · source
import { source as declareSource } from "engine/contract";

export const source = declareSource({
  name: "default",
  kind: "postgres",
  postgres: 18,
  types: {},
});
