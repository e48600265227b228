// default · article_rated · event trigger on public.article_feedback
// INSERT sends article_id, is_helpful, comment to {{HELPDESK_HOOKS}}/article-rated, not signed
// UPDATE sends article_id, is_helpful, comment to {{HELPDESK_HOOKS}}/article-rated, not signed
import { eventTrigger } from "engine/contract";

export const articleRatedTrigger = eventTrigger({
  name: "article_rated",
  table: { schema: "public", name: "article_feedback" },
  manual: false,
  delivery: {
    webhook: "{{HELPDESK_HOOKS}}/article-rated",
    headers: [{ name: "X-Helpdesk-Secret", value: { env: "HELPDESK_HOOKS_SECRET" } }],
    retry: { retries: 5, interval: 10, timeout: 30 },
  },
  captures: [
    {
      operation: "INSERT",
      sends: ["article_id", "is_helpful", "comment"],
      function: `create or replace function engine_catalog."notify_engine_article_rated_INSERT"() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO' set intervalstyle = postgres
  set bytea_output = hex set extra_float_digits = 1 as $engine$
begin
  insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
  select 'public', 'article_feedback', 'article_rated', engine_catalog.event_payload(
    'INSERT',
    null,
    engine_catalog.event_row(engine_rows.*, array['article_id', 'is_helpful', 'comment']::pg_catalog.text[]),
    pg_catalog.current_setting('engine.user', true),
    pg_catalog.current_setting('engine.tracecontext', true)
  )
  from engine_rows;
  return null;
end;
$engine$`,
      trigger: `create trigger "notify_engine_article_rated_INSERT" after insert on "public"."article_feedback"
  referencing new table as engine_rows
  for each statement execute function engine_catalog."notify_engine_article_rated_INSERT"()`,
    },
    {
      operation: "UPDATE",
      sends: ["article_id", "is_helpful", "comment"],
      function: `create or replace function engine_catalog."notify_engine_article_rated_UPDATE"() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp set datestyle = 'ISO' set intervalstyle = postgres
  set bytea_output = hex set extra_float_digits = 1 as $engine$
declare
  engine_old pg_catalog.jsonb;
  engine_new pg_catalog.jsonb;
begin
  begin
    if not (
      old."is_helpful" is distinct from new."is_helpful"
      or old."comment" is distinct from new."comment"
    ) then
      return null;
    end if;
    engine_old := engine_catalog.event_row(old, array['article_id', 'is_helpful', 'comment']::pg_catalog.text[]);
    engine_new := engine_catalog.event_row(new, array['article_id', 'is_helpful', 'comment']::pg_catalog.text[]);
  exception when others then
    engine_old := engine_catalog.event_row(old, array['article_id', 'is_helpful', 'comment']::pg_catalog.text[]);
    engine_new := engine_catalog.event_row(new, array['article_id', 'is_helpful', 'comment']::pg_catalog.text[]);
  end;
  insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
  select 'public', 'article_feedback', 'article_rated', engine_catalog.event_payload(
    'UPDATE',
    engine_old,
    engine_new,
    pg_catalog.current_setting('engine.user', true),
    pg_catalog.current_setting('engine.tracecontext', true)
  )
  ;
  return null;
end;
$engine$`,
      trigger: `create trigger "notify_engine_article_rated_UPDATE" after update on "public"."article_feedback"
  for each row execute function engine_catalog."notify_engine_article_rated_UPDATE"()`,
    },
  ],
});
