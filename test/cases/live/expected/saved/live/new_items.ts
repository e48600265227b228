// live · new_items · saved operation
import { savedOperation } from "engine/contract";

export const newItemsOperation = savedOperation({
  collection: "live",
  name: "new_items",
  kind: "subscription",
  variables: {
    from: { type: "Int!" },
  },
  document: `subscription new_items($from: Int!) { item_stream(batch_size: 10, cursor: { initial_value: { id: $from } }) { id } }`,
  template: "it is a stream",
});
