// Everything that is served.
import { program } from "engine/contract";
import { source as defaultSource } from "./sources/default/source.ts";
import { asks } from "./sources/default/logical_models/asks.table.ts";
import { lineOfSaleAccess } from "./sources/default/logical_models/line_of_sale.access.ts";
import { regionReportAccess } from "./sources/default/logical_models/region_report.access.ts";
import { taken } from "./sources/default/logical_models/taken.table.ts";
import { wrong } from "./sources/default/logical_models/wrong.table.ts";
import { wrongInner } from "./sources/default/logical_models/wrong_inner.table.ts";
import { saleAccess } from "./sources/default/public/sale.access.ts";
import { byJson } from "./sources/default/native_queries/by_json.ts";
import { linesAbove } from "./sources/default/native_queries/lines_above.ts";
import { noReader } from "./sources/default/native_queries/no_reader.ts";
import { pay } from "./sources/default/native_queries/pay.ts";
import { salesByRegion } from "./sources/default/native_queries/sales_by_region.ts";

export default program({
  sources: [
    defaultSource,
  ],
  tables: [
    asks,
    lineOfSaleAccess,
    regionReportAccess,
    taken,
    wrong,
    wrongInner,
    saleAccess,
  ],
  functions: [
    byJson,
    linesAbove,
    noReader,
    pay,
    salesByRegion,
  ],
});
