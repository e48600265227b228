// Everything that is saved: operations and how each runs, the allow-list, and the REST endpoints.
import type { SavedProgram } from "engine/contract";
import { routes } from "../rest/routes.ts";
import { allowlist } from "./allowlist.ts";
import { oneItemOperation } from "./live/one_item.ts";
import { mineOperation } from "./live/mine.ts";
import { busyOperation } from "./live/busy.ts";
import { loudOperation } from "./live/loud.ts";
import { keptOperation } from "./live/kept.ts";
import { newItemsOperation } from "./live/new_items.ts";

export const saved: SavedProgram = {
  options: { stringifyNumbers: false, collapseNulls: false, inferFunctionPermissions: true },
  operations: [
    oneItemOperation, // subscription, static for admin, user
    mineOperation, // subscription, static for admin, user
    busyOperation, // subscription, static for admin, user
    loudOperation, // subscription, static for admin, user
    keptOperation, // query, static for admin, user
    newItemsOperation, // subscription, planned for each request: it is a stream
  ],
  allowlist,
  routes,
};
