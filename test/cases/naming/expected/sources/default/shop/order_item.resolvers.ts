// default · shop.order_item · resolvers
import {
  deleteRow,
  deleteRows,
  insertRow,
  insertRows,
  resolvers,
  selectAggregate,
  selectByKey,
  selectRows,
  updateMany,
  updateRow,
  updateRows,
} from "engine/contract";
import { shopOrderItemAccess } from "./order_item.access.ts";

export const shopOrderItemResolvers = resolvers(shopOrderItemAccess, {
  query: {
    testAll_itemsQuery: {
      field: "select",
      description: "All of them",
      resolve: (selection, args, requester) => selectRows(shopOrderItemAccess, requester, selection, args),
    },
    testShopOrderItemByPkQuery: {
      field: "select_by_pk",
      resolve: (selection, args, requester) => selectByKey(shopOrderItemAccess, requester, selection, args),
    },
    testShopOrderItemAggregateQuery: {
      field: "select_aggregate",
      resolve: (selection, args, requester) => selectAggregate(shopOrderItemAccess, requester, selection, args),
    },
  },
  mutation: {
    testInsertShopOrderItemQuery: {
      field: "insert",
      resolve: (selection, args, requester) => insertRows(shopOrderItemAccess, requester, selection, args),
    },
    testInsertShopOrderItemOneQuery: {
      field: "insert_one",
      resolve: (selection, args, requester) => insertRow(shopOrderItemAccess, requester, selection, args),
    },
    testUpdateShopOrderItemQuery: {
      field: "update",
      resolve: (selection, args, requester) => updateRows(shopOrderItemAccess, requester, selection, args),
    },
    testUpdateShopOrderItemByPkQuery: {
      field: "update_by_pk",
      resolve: (selection, args, requester) => updateRow(shopOrderItemAccess, requester, selection, args),
    },
    testUpdateShopOrderItemManyQuery: {
      field: "update_many",
      resolve: (selection, args, requester) => updateMany(shopOrderItemAccess, requester, selection, args),
    },
    testRemove_itemsQuery: {
      field: "delete",
      resolve: (selection, args, requester) => deleteRows(shopOrderItemAccess, requester, selection, args),
    },
    testDeleteShopOrderItemByPkQuery: {
      field: "delete_by_pk",
      resolve: (selection, args, requester) => deleteRow(shopOrderItemAccess, requester, selection, args),
    },
  },
});
