// my db · Sales Dept."Über `${x}` */ ""q""" · access
import { access, EVERY_ROW } from "engine/contract";
import { salesDeptBerXQ } from "./_ber____x_______q__72f6a8f0.table.ts";

export const salesDeptBerXQAccess = access(salesDeptBerXQ, {
  select: {
    "../../up": {
      columns: [],
      where: EVERY_ROW,
    },
    UP: {
      columns: [],
      where: EVERY_ROW,
    },
    ["__proto__" as string]: {
      columns: ["constructor", "first name", "back\\slash`${tick}", "{row}", "__proto__"],
      where: `
        {row}."first name" =  E'a\\\\b \`\${{c}}\` {{row}} {{session.x-engine-role::text}} ''d''\r
e'
        or {row}."{{row}}" = {session.x-engine-odd::text}
        or {row}."back\\slash\`\${{tick}}" = 'f'
      `,
    },
    ["constructor" as string]: {
      columns: ["__proto__"],
      where: `{row}."__proto__" = 1`,
    },
    up: {
      columns: [],
      where: EVERY_ROW,
    },
  },
});
