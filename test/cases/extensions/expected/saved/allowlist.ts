// The operations that roles other than admin may send, when the allow-list is enabled. White space and __typename do not count.
import { allowedDocuments } from "engine/contract";

export const allowlist = allowedDocuments([
  { collection: "reports", name: "stores" },
]);
