// Everything that is served.
import { program } from "engine/contract";
import { source as myDbSource } from "./sources/my_db_7db90c8c/source.ts";
import { salesDeptBerXQAccess } from "./sources/my_db_7db90c8c/Sales_Dept_583b903b/_ber____x_______q__72f6a8f0.access.ts";
import { functionsAccess } from "./sources/my_db_7db90c8c/functions/access.table.ts";
import { select } from "./sources/my_db_7db90c8c/public/Select.table.ts";
import { con } from "./sources/my_db_7db90c8c/public/con_1143da2b.table.ts";
import { myDbSelect } from "./sources/my_db_7db90c8c/public/select_72f0f13e.table.ts";
import { source_ } from "./sources/my_db_7db90c8c/public/source.table.ts";
import { standardFields_ } from "./sources/my_db_7db90c8c/public/standard_fields.table.ts";

export default program({
  sources: [
    myDbSource,
  ],
  tables: [
    salesDeptBerXQAccess,
    functionsAccess,
    select,
    con,
    myDbSelect,
    source_,
    standardFields_,
  ],
  functions: [
  ],
});
