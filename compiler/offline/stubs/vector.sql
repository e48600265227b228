-- Types, functions and operators of pgvector, by name and signature.
create type vector;
create function vector_in(cstring, oid, integer) returns vector language internal immutable strict as 'textin';
create function vector_out(vector) returns cstring language internal immutable strict as 'textout';
create function vector_recv(internal, oid, integer) returns vector language internal immutable strict as 'textrecv';
create function vector_send(vector) returns bytea language internal immutable strict as 'textsend';
create function vector_typmod_in(cstring[]) returns integer language internal immutable strict as 'varchartypmodin';
create function vector_typmod_out(integer) returns cstring language internal immutable strict as 'varchartypmodout';
create type vector (input = vector_in, output = vector_out, receive = vector_recv, send = vector_send,
  typmod_in = vector_typmod_in, typmod_out = vector_typmod_out, storage = external);
create type halfvec;
create function halfvec_in(cstring, oid, integer) returns halfvec language internal immutable strict as 'textin';
create function halfvec_out(halfvec) returns cstring language internal immutable strict as 'textout';
create type halfvec (input = halfvec_in, output = halfvec_out,
  typmod_in = vector_typmod_in, typmod_out = vector_typmod_out, storage = external);
create type sparsevec;
create function sparsevec_in(cstring, oid, integer) returns sparsevec language internal immutable strict as 'textin';
create function sparsevec_out(sparsevec) returns cstring language internal immutable strict as 'textout';
create type sparsevec (input = sparsevec_in, output = sparsevec_out,
  typmod_in = vector_typmod_in, typmod_out = vector_typmod_out, storage = external);

do $stub$
declare each text;
begin
  foreach each in array array['vector', 'halfvec', 'sparsevec'] loop
    -- An explicit length is a cast of the type to itself.
    execute format('create function %1$s(%1$s, integer, boolean) returns %1$s language sql immutable strict as ''select $1''', each);
    execute format('create cast (%1$s as %1$s) with function %1$s(%1$s, integer, boolean) as implicit', each);
    execute format('create function l2_distance(%1$s, %1$s) returns double precision language sql immutable strict as ''select 0::double precision''', each);
    execute format('create function inner_product(%1$s, %1$s) returns double precision language sql immutable strict as ''select 0::double precision''', each);
    execute format('create function cosine_distance(%1$s, %1$s) returns double precision language sql immutable strict as ''select 0::double precision''', each);
    execute format('create function l1_distance(%1$s, %1$s) returns double precision language sql immutable strict as ''select 0::double precision''', each);
    execute format('create function %1$s_negative_inner_product(%1$s, %1$s) returns double precision language sql immutable strict as ''select 0::double precision''', each);
    execute format('create function l2_norm(%1$s) returns double precision language sql immutable strict as ''select 0::double precision''', each);
    execute format('create function l2_normalize(%1$s) returns %1$s language sql immutable strict as ''select $1''', each);
    execute format('create function %1$s_eq(%1$s, %1$s) returns boolean language sql immutable strict as ''select $1::text = $2::text''', each);
    execute format('create function %1$s_ne(%1$s, %1$s) returns boolean language sql immutable strict as ''select $1::text <> $2::text''', each);
    execute format('create operator = (leftarg = %1$s, rightarg = %1$s, function = %1$s_eq, commutator = =, negator = <>)', each);
    execute format('create operator <> (leftarg = %1$s, rightarg = %1$s, function = %1$s_ne, commutator = <>, negator = =)', each);
    execute format('create operator <-> (leftarg = %1$s, rightarg = %1$s, function = l2_distance, commutator = <->)', each);
    execute format('create operator <#> (leftarg = %1$s, rightarg = %1$s, function = %1$s_negative_inner_product, commutator = <#>)', each);
    execute format('create operator <=> (leftarg = %1$s, rightarg = %1$s, function = cosine_distance, commutator = <=>)', each);
    execute format('create operator <+> (leftarg = %1$s, rightarg = %1$s, function = l1_distance, commutator = <+>)', each);
    if each <> 'sparsevec' then
      execute format('create function vector_dims(%1$s) returns integer language sql immutable strict as ''select 0''', each);
      execute format('create function subvector(%1$s, integer, integer) returns %1$s language sql immutable strict as ''select $1''', each);
      execute format('create function %1$s_add(%1$s, %1$s) returns %1$s language sql immutable strict as ''select $1''', each);
      execute format('create operator + (leftarg = %1$s, rightarg = %1$s, function = %1$s_add, commutator = +)', each);
      execute format('create operator - (leftarg = %1$s, rightarg = %1$s, function = %1$s_add)', each);
      execute format('create operator * (leftarg = %1$s, rightarg = %1$s, function = %1$s_add, commutator = *)', each);
      execute format('create aggregate avg(%1$s) (sfunc = %1$s_add, stype = %1$s)', each);
      execute format('create aggregate sum(%1$s) (sfunc = %1$s_add, stype = %1$s)', each);
    end if;
  end loop;
  foreach each in array array['integer[]', 'real[]', 'double precision[]', 'numeric[]'] loop
    execute format('create function array_to_vector(%s, integer, boolean) returns vector language sql immutable strict as ''select null::vector''', each);
    execute format('create cast (%1$s as vector) with function array_to_vector(%1$s, integer, boolean) as assignment', each);
  end loop;
end $stub$;
create function vector_to_float4(vector, integer, boolean) returns real[] language sql immutable strict as 'select null::real[]';
create cast (vector as real[]) with function vector_to_float4(vector, integer, boolean) as assignment;
create function vector_to_halfvec(vector, integer, boolean) returns halfvec language sql immutable strict as 'select null::halfvec';
create cast (vector as halfvec) with function vector_to_halfvec(vector, integer, boolean) as assignment;
create function halfvec_to_vector(halfvec, integer, boolean) returns vector language sql immutable strict as 'select null::vector';
create cast (halfvec as vector) with function halfvec_to_vector(halfvec, integer, boolean) as implicit;
create function binary_quantize(vector) returns bit language sql immutable strict as 'select null::bit';
