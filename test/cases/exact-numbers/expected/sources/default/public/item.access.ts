// default · public.item · access
import { access, EVERY_ROW } from "engine/contract";
import { item } from "./item.table.ts";

export const itemAccess = access(item, {
  select: {
    user: {
      columns: ["id"],
      where: `
        {row}."id" = '9007199254740993'::bigint
        or {row}."id" in (1, '9223372036854775807'::bigint)
        or {row}."amount" > '12345678901234567890.12345'::numeric
        or {row}."amount" < '1e400'::numeric
        or {row}."weight" = '-0'::double precision
        or {row}."data" @> '{{"a":[9007199254740993,0.1234567890123456789]}}'::jsonb
      `,
    },
  },
  insert: {
    user: {
      columns: ["id"],
      check: EVERY_ROW,
      presets: {
        amount: `'12345678901234567890.12345'::numeric`,
        data: `'[9007199254740993]'::jsonb`,
      },
    },
  },
});
