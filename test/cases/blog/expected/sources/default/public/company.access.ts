// default · public.company · access
import { access } from "engine/contract";
import { company } from "./company.table.ts";

const readerSelect = `
  exists (
    select 1
    from "public"."member" as "_r1"
    where "_r1"."company_id" = {row}."id" and "_r1"."user_id" = {session.x-engine-user-id::integer}
  )
`;

export const companyAccess = access(company, {
  select: {
    reader: {
      columns: ["id", "name"],
      where: readerSelect,
    },
    user: {
      columns: ["id", "name"],
      where: readerSelect,
    },
  },
});
