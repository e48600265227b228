// Custom types: what actions take and answer.
import { customTypes } from "engine/contract";

export const types = customTypes({
  objects: {
    mark_group_by_key: {
      fields: {
        id: { type: "Int" },
      },
    },
  },
});

export interface mark_group_by_key {
  id?: number | null;
}
