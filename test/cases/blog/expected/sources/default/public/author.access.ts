// default · public.author · access
import { access } from "engine/contract";
import { author } from "./author.table.ts";

const readerSelectCellEmail = `
  exists (
    select 1
    from "public"."company" as "_r1"
    where "_r1"."id" = {row}."company_id"
      and exists (
        select 1
        from "public"."member" as "_r2"
        where "_r2"."company_id" = "_r1"."id"
          and "_r2"."role" <> 'guest'
          and "_r2"."user_id" = {session.x-engine-user-id::integer}
      )
  )
`;

export const authorAccess = access(author, {
  select: {
    reader: {
      columns: ["id", "name", "email", "company_id", "mood"],
      where: `
        exists (
          select 1
          from "public"."company" as "_r1"
          where "_r1"."id" = {row}."company_id"
            and exists (
              select 1
              from "public"."member" as "_r2"
              where "_r2"."company_id" = "_r1"."id"
                and "_r2"."role" <> 'guest'
                and "_r2"."user_id" = {session.x-engine-user-id::integer}
            )
        )
        or exists (
          select 1
          from "public"."author_recent"({row}, {session::json}) as "_r3"
          where "_r3"."status" = 'published'
        )
      `,
      canFail: true,
      aggregations: true,
      cells: {
        email: readerSelectCellEmail,
        company_id: readerSelectCellEmail,
        mood: readerSelectCellEmail,
      },
    },
    user: {
      columns: ["id", "name", "email", "company_id", "mood"],
      where: readerSelectCellEmail,
      aggregations: true,
      implies: {
        articles: "214c5c2adac8049a3f1fc17e2ce49524",
        colleagues: "022f54bf7674ebbddd4202b7503fa9c0",
        company: "062826c4fcc4f62a3bbecff60e734315",
      },
    },
    visitor: {
      columns: ["id", "name"],
      where: `
        exists (
          select 1
          from "public"."author_recent"({row}, {session::json}) as "_r1"
          where "_r1"."status" = 'published'
        )
      `,
      canFail: true,
    },
  },
});
