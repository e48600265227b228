// my db · source
import { source as declareSource } from "engine/contract";

export const source = declareSource({
  name: "my db",
  kind: "postgres",
  postgres: 18,
  types: {},
});
