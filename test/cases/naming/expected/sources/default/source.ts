// default · source
import { source as declareSource } from "engine/contract";

export const source = declareSource({
  name: "default",
  kind: "postgres",
  naming: "graphql-default",
  postgres: 18,
  rootNamespace: "shop",
  typePrefix: "Shop",
  typeSuffix: "Type",
  types: {},
});
