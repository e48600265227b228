// default · logical model region_report · access
import { access, EVERY_ROW } from "engine/contract";
import { regionReport } from "./region_report.table.ts";

export const regionReportAccess = access(regionReport, {
  select: {
    clerk: {
      columns: ["region", "sold"],
      where: `{row}."region" = {session.x-engine-region::text}`,
    },
    guest: {
      columns: ["region", "sold", "first"],
      where: EVERY_ROW,
    },
  },
});
