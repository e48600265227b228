// Everything that is served.
import { program } from "engine/contract";
import { source as myDbSource } from "./sources/my_db_7db90c8c/source.ts";
import { salesDeptBerXQResolvers } from "./sources/my_db_7db90c8c/Sales_Dept_583b903b/_ber____x_______q__72f6a8f0.resolvers.ts";
import { functionsAccessResolvers } from "./sources/my_db_7db90c8c/functions/access.resolvers.ts";
import { selectResolvers } from "./sources/my_db_7db90c8c/public/Select.resolvers.ts";
import { conResolvers } from "./sources/my_db_7db90c8c/public/con_1143da2b.resolvers.ts";
import { myDbSelectResolvers } from "./sources/my_db_7db90c8c/public/select_72f0f13e.resolvers.ts";
import { source_Resolvers } from "./sources/my_db_7db90c8c/public/source.resolvers.ts";

export default program({
  sources: [
    myDbSource,
  ],
  tables: [
    salesDeptBerXQResolvers,
    functionsAccessResolvers,
    selectResolvers,
    conResolvers,
    myDbSelectResolvers,
    source_Resolvers,
  ],
  functions: [
  ],
});
