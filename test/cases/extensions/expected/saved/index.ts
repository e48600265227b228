// Everything that is saved: operations and how each runs, the allow-list, and the REST endpoints.
import type { SavedProgram } from "engine/contract";
import { routes } from "../rest/routes.ts";
import { allowlist } from "./allowlist.ts";
import { storesOperation } from "./reports/stores.ts";

export const saved: SavedProgram = {
  options: { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true },
  operations: [
    storesOperation, // query, static for admin, analyst
  ],
  allowlist,
  routes,
};
