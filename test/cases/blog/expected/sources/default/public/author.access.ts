// default · public.author · access
import { access } from "engine/contract";
import { author } from "./author.table.ts";

export const authorAccess = access(author, {
  select: {
    reader: {
      columns: [
        "id",
        "name",
        "email",
        "company_id",
        "mood",
      ],
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
        email: `
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
        `,
        company_id: `
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
        `,
        mood: `
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
        `,
      },
    },
    user: {
      columns: [
        "id",
        "name",
        "email",
        "company_id",
        "mood",
      ],
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
      `,
      aggregations: true,
      implies: {
        articles: "efcbe1ef6ca5f4241f8e3a85f4b99f98",
        colleagues: "7c153866ba3897f01235cac44fa3192e",
        company: "31f47ec60a99e282ae1b10d83acf2fd7",
      },
    },
    visitor: {
      columns: [
        "id",
        "name",
      ],
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
