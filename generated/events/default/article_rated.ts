// default · article_rated · event trigger on public.article_feedback
// INSERT sends article_id, is_helpful, comment to {{HELPDESK_HOOKS}}/article-rated, not signed
// UPDATE sends article_id, is_helpful, comment to {{HELPDESK_HOOKS}}/article-rated, not signed
import { eventTrigger } from "engine/contract";

export const articleRatedTrigger = eventTrigger({
  name: "article_rated",
  table: { schema: "public", name: "article_feedback" },
  manual: false,
  delivery: {
    webhook: { template: "{{HELPDESK_HOOKS}}/article-rated" },
    headers: [{ name: "X-Helpdesk-Secret", variable: "HELPDESK_HOOKS_SECRET" }],
    retry: { retries: 5, interval: 10, timeout: 30 },
  },
  captures: [
    {
      operation: "INSERT",
      sends: ["article_id", "is_helpful", "comment"],
      function: `create or replace function engine_catalog."notify_engine_article_rated_INSERT"() returns trigger
language plpgsql security definer set search_path = '' as $engine$
begin
  insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
  select 'public', 'article_feedback', 'article_rated', pg_catalog.jsonb_build_object(
    'op', 'INSERT',
    'data', pg_catalog.jsonb_build_object('old', null, 'new', (select pg_catalog.to_jsonb(sent) from (select engine_rows."article_id" as "article_id", engine_rows."is_helpful" as "is_helpful", engine_rows."comment" as "comment") sent)),
    'session_variables', nullif(pg_catalog.current_setting('engine.user', true), '')::pg_catalog.jsonb,
    'trace_context', nullif(pg_catalog.current_setting('engine.tracecontext', true), '')::pg_catalog.jsonb
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
language plpgsql security definer set search_path = '' as $engine$
begin
  if old."is_helpful" is distinct from new."is_helpful"
    or old."comment" is distinct from new."comment" then
    insert into engine_catalog.event_log (schema_name, table_name, trigger_name, payload)
    select 'public', 'article_feedback', 'article_rated', pg_catalog.jsonb_build_object(
      'op', 'UPDATE',
      'data', pg_catalog.jsonb_build_object('old', (select pg_catalog.to_jsonb(sent) from (select old."article_id" as "article_id", old."is_helpful" as "is_helpful", old."comment" as "comment") sent), 'new', (select pg_catalog.to_jsonb(sent) from (select new."article_id" as "article_id", new."is_helpful" as "is_helpful", new."comment" as "comment") sent)),
      'session_variables', nullif(pg_catalog.current_setting('engine.user', true), '')::pg_catalog.jsonb,
      'trace_context', nullif(pg_catalog.current_setting('engine.tracecontext', true), '')::pg_catalog.jsonb
    );
  end if;
  return null;
end;
$engine$`,
      trigger: `create trigger "notify_engine_article_rated_UPDATE" after update on "public"."article_feedback"
  for each row execute function engine_catalog."notify_engine_article_rated_UPDATE"()`,
    },
  ],
});
