// The REST endpoints: method and URL below /api/rest/ → saved operation.
import { restRoutes } from "engine/contract";

export const routes = restRoutes([
]);
