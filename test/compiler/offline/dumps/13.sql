--
-- PostgreSQL database dump
--

\restrict i37S0x3uVI4VCEjJjF1MEbfqh0eh642aq5hWus7gfJxVqBrv0t36hfhDs2S6Y1g

-- Dumped from database version 13.23
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: Odd Name; Type: SCHEMA; Schema: -; Owner: postgres
--

CREATE SCHEMA "Odd Name";


ALTER SCHEMA "Odd Name" OWNER TO postgres;

--
-- Name: public; Type: SCHEMA; Schema: -; Owner: postgres
--

-- *not* creating schema, since initdb creates it


ALTER SCHEMA public OWNER TO postgres;

--
-- Name: shop; Type: SCHEMA; Schema: -; Owner: shop_owner
--

CREATE SCHEMA shop;


ALTER SCHEMA shop OWNER TO shop_owner;

--
-- Name: SCHEMA shop; Type: COMMENT; Schema: -; Owner: shop_owner
--

COMMENT ON SCHEMA shop IS 'what''s sold; here';


--
-- Name: citext; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;


--
-- Name: EXTENSION citext; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION citext IS 'data type for case-insensitive character strings';


--
-- Name: hstore; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS hstore WITH SCHEMA public;


--
-- Name: EXTENSION hstore; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION hstore IS 'data type for storing sets of (key, value) pairs';


--
-- Name: pg_trgm; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;


--
-- Name: EXTENSION pg_trgm; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION pg_trgm IS 'text similarity measurement and index searching based on trigrams';


--
-- Name: uuid-ossp; Type: EXTENSION; Schema: -; Owner: -
--

CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA public;


--
-- Name: EXTENSION "uuid-ossp"; Type: COMMENT; Schema: -; Owner: 
--

COMMENT ON EXTENSION "uuid-ossp" IS 'generate universally unique identifiers (UUIDs)';


--
-- Name: email; Type: DOMAIN; Schema: shop; Owner: postgres
--

CREATE DOMAIN shop.email AS public.citext
	CONSTRAINT email_check CHECK ((VALUE OPERATOR(public.~) '@'::public.citext));


ALTER DOMAIN shop.email OWNER TO postgres;

--
-- Name: mood; Type: TYPE; Schema: shop; Owner: postgres
--

CREATE TYPE shop.mood AS ENUM (
    'sad',
    'ok',
    'it''s'
);


ALTER TYPE shop.mood OWNER TO postgres;

--
-- Name: pair; Type: TYPE; Schema: shop; Owner: postgres
--

CREATE TYPE shop.pair AS (
	a integer,
	b text
);


ALTER TYPE shop.pair OWNER TO postgres;

--
-- Name: span; Type: TYPE; Schema: shop; Owner: postgres
--

CREATE TYPE shop.span AS RANGE (
    subtype = date
);


ALTER TYPE shop.span OWNER TO postgres;

--
-- Name: CAST (shop.mood AS integer); Type: CAST; Schema: -; Owner: -
--

CREATE CAST (shop.mood AS integer) WITH INOUT;


--
-- Name: on_ddl(); Type: FUNCTION; Schema: public; Owner: postgres
--

CREATE FUNCTION public.on_ddl() RETURNS event_trigger
    LANGUAGE plpgsql
    AS $$ begin perform 1; end $$;


ALTER FUNCTION public.on_ddl() OWNER TO postgres;

--
-- Name: clean(); Type: PROCEDURE; Schema: shop; Owner: postgres
--

CREATE PROCEDURE shop.clean()
    LANGUAGE plpgsql
    AS $$ begin delete from shop.log; commit; end $$;


ALTER PROCEDURE shop.clean() OWNER TO postgres;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: customer; Type: TABLE; Schema: shop; Owner: shop_owner
--

CREATE TABLE shop.customer (
    id bigint NOT NULL,
    email shop.email NOT NULL,
    mood shop.mood DEFAULT 'ok'::shop.mood,
    attrs public.hstore,
    note text DEFAULT 'a;b'::text,
    p shop.pair,
    created timestamp with time zone DEFAULT now()
);


ALTER TABLE shop.customer OWNER TO shop_owner;

--
-- Name: TABLE customer; Type: COMMENT; Schema: shop; Owner: shop_owner
--

COMMENT ON TABLE shop.customer IS 'two
lines; and \ a backslash';


--
-- Name: COLUMN customer.note; Type: COMMENT; Schema: shop; Owner: shop_owner
--

COMMENT ON COLUMN shop.customer.note IS 'n';


--
-- Name: total(shop.customer); Type: FUNCTION; Schema: shop; Owner: postgres
--

CREATE FUNCTION shop.total(c shop.customer) RETURNS numeric
    LANGUAGE sql STABLE
    AS $$ select sum(total) from shop."order" where customer = c.id; $$;


ALTER FUNCTION shop.total(c shop.customer) OWNER TO postgres;

--
-- Name: FUNCTION total(c shop.customer); Type: COMMENT; Schema: shop; Owner: postgres
--

COMMENT ON FUNCTION shop.total(c shop.customer) IS 'f';


--
-- Name: touch(); Type: FUNCTION; Schema: shop; Owner: postgres
--

CREATE FUNCTION shop.touch() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$ begin new.created := now(); if new.note = ';' then raise notice '%', $$;$$; end if; return new; end $_$;


ALTER FUNCTION shop.touch() OWNER TO postgres;

--
-- Name: concat(text); Type: AGGREGATE; Schema: shop; Owner: postgres
--

CREATE AGGREGATE shop.concat(text) (
    SFUNC = textcat,
    STYPE = text,
    INITCOND = ''
);


ALTER AGGREGATE shop.concat(text) OWNER TO postgres;

--
-- Name: ===; Type: OPERATOR; Schema: shop; Owner: postgres
--

CREATE OPERATOR shop.=== (
    FUNCTION = texteq,
    LEFTARG = text,
    RIGHTARG = text
);


ALTER OPERATOR shop.=== (text, text) OWNER TO postgres;

--
-- Name: plain; Type: TEXT SEARCH CONFIGURATION; Schema: shop; Owner: postgres
--

CREATE TEXT SEARCH CONFIGURATION shop.plain (
    PARSER = pg_catalog."default" );

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR asciiword WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR word WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR numword WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR email WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR url WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR host WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR sfloat WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR version WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR hword_numpart WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR hword_part WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR hword_asciipart WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR numhword WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR asciihword WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR hword WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR url_path WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR file WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR "float" WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR "int" WITH simple;

ALTER TEXT SEARCH CONFIGURATION shop.plain
    ADD MAPPING FOR uint WITH simple;


ALTER TEXT SEARCH CONFIGURATION shop.plain OWNER TO postgres;

--
-- Name: nothing; Type: FOREIGN DATA WRAPPER; Schema: -; Owner: postgres
--

CREATE FOREIGN DATA WRAPPER nothing;


ALTER FOREIGN DATA WRAPPER nothing OWNER TO postgres;

--
-- Name: elsewhere; Type: SERVER; Schema: -; Owner: postgres
--

CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing OPTIONS (
    host 'x'
);


ALTER SERVER elsewhere OWNER TO postgres;

--
-- Name: USER MAPPING reader SERVER elsewhere; Type: USER MAPPING; Schema: -; Owner: postgres
--

CREATE USER MAPPING FOR reader SERVER elsewhere OPTIONS (
    u 'v'
);


--
-- Name: Ta"ble; Type: TABLE; Schema: Odd Name; Owner: postgres
--

CREATE TABLE "Odd Name"."Ta""ble" (
    "Co l" text
);


ALTER TABLE "Odd Name"."Ta""ble" OWNER TO postgres;

--
-- Name: customer_id_seq; Type: SEQUENCE; Schema: shop; Owner: shop_owner
--

ALTER TABLE shop.customer ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME shop.customer_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: far; Type: FOREIGN TABLE; Schema: shop; Owner: postgres
--

CREATE FOREIGN TABLE shop.far (
    id integer
)
SERVER elsewhere;


ALTER FOREIGN TABLE shop.far OWNER TO postgres;

--
-- Name: log; Type: TABLE; Schema: shop; Owner: postgres
--

CREATE TABLE shop.log (
    at timestamp with time zone NOT NULL,
    what text
)
PARTITION BY RANGE (at);


ALTER TABLE shop.log OWNER TO postgres;

--
-- Name: log_2024; Type: TABLE; Schema: shop; Owner: postgres
--

CREATE TABLE shop.log_2024 (
    at timestamp with time zone NOT NULL,
    what text
);


ALTER TABLE shop.log_2024 OWNER TO postgres;

--
-- Name: numbers; Type: SEQUENCE; Schema: shop; Owner: postgres
--

CREATE SEQUENCE shop.numbers
    START WITH 5
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


ALTER TABLE shop.numbers OWNER TO postgres;

--
-- Name: order; Type: TABLE; Schema: shop; Owner: postgres
--

CREATE TABLE shop."order" (
    id integer DEFAULT nextval('shop.numbers'::regclass) NOT NULL,
    customer bigint,
    total numeric(10,2),
    doubled numeric GENERATED ALWAYS AS ((total * (2)::numeric)) STORED,
    period daterange,
    CONSTRAINT order_total_check CHECK ((total >= (0)::numeric))
);


ALTER TABLE shop."order" OWNER TO postgres;

--
-- Name: rich; Type: VIEW; Schema: shop; Owner: postgres
--

CREATE VIEW shop.rich AS
 SELECT c.id,
    c.email,
    c.mood,
    c.attrs,
    c.note,
    c.p,
    c.created,
    ( SELECT sum(o.total) AS sum
           FROM shop."order" o
          WHERE (o.customer = c.id)) AS spent
   FROM shop.customer c;


ALTER TABLE shop.rich OWNER TO postgres;

--
-- Name: totals; Type: MATERIALIZED VIEW; Schema: shop; Owner: postgres
--

CREATE MATERIALIZED VIEW shop.totals AS
 SELECT "order".customer,
    sum("order".total) AS total,
    count(*) FILTER (WHERE ("order".total > (1)::numeric)) AS n
   FROM shop."order"
  GROUP BY "order".customer
  ORDER BY (sum("order".total)) DESC
  WITH NO DATA;


ALTER TABLE shop.totals OWNER TO postgres;

--
-- Name: log_2024; Type: TABLE ATTACH; Schema: shop; Owner: postgres
--

ALTER TABLE ONLY shop.log ATTACH PARTITION shop.log_2024 FOR VALUES FROM ('2024-01-01 00:00:00+00') TO ('2025-01-01 00:00:00+00');


--
-- Name: 16823; Type: BLOB; Schema: -; Owner: postgres
--

SELECT pg_catalog.lo_create('16823');


ALTER LARGE OBJECT 16823 OWNER TO postgres;

--
-- Data for Name: Ta"ble; Type: TABLE DATA; Schema: Odd Name; Owner: postgres
--

COPY "Odd Name"."Ta""ble" ("Co l") FROM stdin;
\\.

\N
\.


--
-- Data for Name: customer; Type: TABLE DATA; Schema: shop; Owner: shop_owner
--

COPY shop.customer (id, email, mood, attrs, note, p, created) FROM stdin;
1	a@b	ok	"a"=>"1"	tab\there\nline\\.	(1,x)	2026-11-26 14:38:11.615028+00
2	c@d	ok	\N	\N	\N	2026-11-26 14:38:11.615028+00
\.


--
-- Data for Name: log_2024; Type: TABLE DATA; Schema: shop; Owner: postgres
--

COPY shop.log_2024 (at, what) FROM stdin;
2024-05-05 00:00:00+00	\\restrict
2024-05-06 00:00:00+00	;
\.


--
-- Data for Name: order; Type: TABLE DATA; Schema: shop; Owner: postgres
--

COPY shop."order" (id, customer, total, period) FROM stdin;
5	1	5.00	[2024-01-01,2024-02-01)
\.


--
-- Name: customer_id_seq; Type: SEQUENCE SET; Schema: shop; Owner: shop_owner
--

SELECT pg_catalog.setval('shop.customer_id_seq', 2, true);


--
-- Name: numbers; Type: SEQUENCE SET; Schema: shop; Owner: postgres
--

SELECT pg_catalog.setval('shop.numbers', 5, true);


--
-- Data for Name: BLOBS; Type: BLOBS; Schema: -; Owner: -
--

BEGIN;

SELECT pg_catalog.lo_open('16823', 131072);
SELECT pg_catalog.lowrite(0, '\x626c6f62');
SELECT pg_catalog.lo_close(0);

COMMIT;

--
-- Name: customer customer_email_key; Type: CONSTRAINT; Schema: shop; Owner: shop_owner
--

ALTER TABLE ONLY shop.customer
    ADD CONSTRAINT customer_email_key UNIQUE (email);


--
-- Name: customer customer_pkey; Type: CONSTRAINT; Schema: shop; Owner: shop_owner
--

ALTER TABLE ONLY shop.customer
    ADD CONSTRAINT customer_pkey PRIMARY KEY (id);


--
-- Name: order order_period_excl; Type: CONSTRAINT; Schema: shop; Owner: postgres
--

ALTER TABLE ONLY shop."order"
    ADD CONSTRAINT order_period_excl EXCLUDE USING gist (period WITH &&);


--
-- Name: order order_pkey; Type: CONSTRAINT; Schema: shop; Owner: postgres
--

ALTER TABLE ONLY shop."order"
    ADD CONSTRAINT order_pkey PRIMARY KEY (id);


--
-- Name: customer_lower_idx; Type: INDEX; Schema: shop; Owner: shop_owner
--

CREATE UNIQUE INDEX customer_lower_idx ON shop.customer USING btree (lower(note)) WHERE (note <> ''::text);


--
-- Name: totals_customer_idx; Type: INDEX; Schema: shop; Owner: postgres
--

CREATE UNIQUE INDEX totals_customer_idx ON shop.totals USING btree (customer);


--
-- Name: trgm; Type: INDEX; Schema: shop; Owner: shop_owner
--

CREATE INDEX trgm ON shop.customer USING gin (note public.gin_trgm_ops);


--
-- Name: st; Type: STATISTICS; Schema: shop; Owner: postgres
--

CREATE STATISTICS shop.st ON id, mood FROM shop.customer;


ALTER STATISTICS shop.st OWNER TO postgres;

--
-- Name: log keep; Type: RULE; Schema: shop; Owner: postgres
--

CREATE RULE keep AS
    ON DELETE TO shop.log DO INSTEAD ( INSERT INTO shop.log (at, what)
  VALUES (now(), 'x'::text);
 INSERT INTO shop.log (at, what)
  VALUES (now(), 'y'::text);
);


--
-- Name: customer touch; Type: TRIGGER; Schema: shop; Owner: shop_owner
--

CREATE TRIGGER touch BEFORE INSERT OR UPDATE ON shop.customer FOR EACH ROW EXECUTE FUNCTION shop.touch();


--
-- Name: order order_customer_fkey; Type: FK CONSTRAINT; Schema: shop; Owner: postgres
--

ALTER TABLE ONLY shop."order"
    ADD CONSTRAINT order_customer_fkey FOREIGN KEY (customer) REFERENCES shop.customer(id) ON DELETE CASCADE;


--
-- Name: customer; Type: ROW SECURITY; Schema: shop; Owner: shop_owner
--

ALTER TABLE shop.customer ENABLE ROW LEVEL SECURITY;

--
-- Name: customer own; Type: POLICY; Schema: shop; Owner: shop_owner
--

CREATE POLICY own ON shop.customer FOR SELECT TO reader, auditor USING ((note = CURRENT_USER));


--
-- Name: everything; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION everything FOR ALL TABLES WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION everything OWNER TO postgres;

--
-- Name: few; Type: PUBLICATION; Schema: -; Owner: postgres
--

CREATE PUBLICATION few WITH (publish = 'insert, update, delete, truncate');


ALTER PUBLICATION few OWNER TO postgres;

--
-- Name: few customer; Type: PUBLICATION TABLE; Schema: shop; Owner: postgres
--

ALTER PUBLICATION few ADD TABLE ONLY shop.customer;


--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: postgres
--

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO PUBLIC;


--
-- Name: SCHEMA shop; Type: ACL; Schema: -; Owner: shop_owner
--

GRANT USAGE ON SCHEMA shop TO reader;


--
-- Name: TABLE customer; Type: ACL; Schema: shop; Owner: shop_owner
--

GRANT SELECT ON TABLE shop.customer TO reader WITH GRANT OPTION;


--
-- Name: COLUMN customer.note; Type: ACL; Schema: shop; Owner: shop_owner
--

GRANT UPDATE(note) ON TABLE shop.customer TO auditor;


--
-- Name: TABLE far; Type: ACL; Schema: shop; Owner: postgres
--

GRANT SELECT ON TABLE shop.far TO reader WITH GRANT OPTION;


--
-- Name: TABLE log; Type: ACL; Schema: shop; Owner: postgres
--

GRANT SELECT ON TABLE shop.log TO reader WITH GRANT OPTION;


--
-- Name: TABLE log_2024; Type: ACL; Schema: shop; Owner: postgres
--

GRANT SELECT ON TABLE shop.log_2024 TO reader WITH GRANT OPTION;


--
-- Name: TABLE "order"; Type: ACL; Schema: shop; Owner: postgres
--

GRANT SELECT ON TABLE shop."order" TO reader WITH GRANT OPTION;


--
-- Name: TABLE rich; Type: ACL; Schema: shop; Owner: postgres
--

GRANT SELECT ON TABLE shop.rich TO reader WITH GRANT OPTION;


--
-- Name: TABLE totals; Type: ACL; Schema: shop; Owner: postgres
--

GRANT SELECT ON TABLE shop.totals TO reader WITH GRANT OPTION;


--
-- Name: DEFAULT PRIVILEGES FOR TABLES; Type: DEFAULT ACL; Schema: shop; Owner: shop_owner
--

ALTER DEFAULT PRIVILEGES FOR ROLE shop_owner IN SCHEMA shop GRANT SELECT ON TABLES  TO reader;


--
-- Name: ddl; Type: EVENT TRIGGER; Schema: -; Owner: postgres
--

CREATE EVENT TRIGGER ddl ON ddl_command_end
   EXECUTE FUNCTION public.on_ddl();


ALTER EVENT TRIGGER ddl OWNER TO postgres;

--
-- Name: totals; Type: MATERIALIZED VIEW DATA; Schema: shop; Owner: postgres
--

REFRESH MATERIALIZED VIEW shop.totals;


--
-- PostgreSQL database dump complete
--

\unrestrict i37S0x3uVI4VCEjJjF1MEbfqh0eh642aq5hWus7gfJxVqBrv0t36hfhDs2S6Y1g

