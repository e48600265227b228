/**
 * SQL that reads texts as values. A geometry or geography comes as GeoJSON, which goes through ST_GeomFromGeoJSON: unlike the
 * input functions of the types, it accepts GeoJSON in every version of PostGIS, and gives a value without `crs` the SRID 4326.
 * Other texts (WKT, EWKT, hexadecimal WKB) go through the input function.
 */
import type { Path } from '../errors.ts';
import type { ColumnType } from '../types.ts';
import {
  builtIn,
  type Encoding,
  identifier,
  type ParameterSource,
  parameter,
  raw,
  type Sql,
  sql,
  unnested,
} from './fragment.ts';
import { nested, selectStatement } from './statement.ts';

/** True for geometry, geography and arrays of them: SQL reads their values with `readText`, a cast is not enough. */
export function takesGeoJson({ family, element }: ColumnType): boolean {
  return element ? takesGeoJson(element) : family === 'geometry' || family === 'geography';
}

/**
 * SQL of the value that an encoded text means.
 * @param text SQL of type text; it may be evaluated twice
 * @param form what the text is known to be; it is found out by the statement otherwise
 */
export function readText(type: ColumnType, text: Sql, form?: 'geojson' | 'text'): Sql {
  const cast = sql`${text}::${raw(type.sql)}`;
  if (!takesGeoJson(type)) return cast;
  if (type.element)
    return sql`(case when ${text} is not null then ${readTexts(type.element, sql`${text}::text[]`)} end)`;
  if (form === 'text') return cast;
  const geojson = sql`ST_GeomFromGeoJSON(${text})::${raw(type.sql)}`;
  return form
    ? geojson
    : sql`(case when ${builtIn('starts_with', text, raw(`'{'`))} then ${geojson} else ${cast} end)`;
}

/** SQL of the array of values that an array of encoded texts means. @param texts SQL of type text[] */
function readTexts(type: ColumnType, texts: Sql): Sql {
  if (!takesGeoJson(type)) return sql`${texts}::${raw(type.sql)}[]`;
  const item = identifier('item');
  const items = selectStatement({
    columns: readText(type, item),
    from: [{ rows: unnested([texts]), alias: item }],
  });
  return sql`array${nested(items)}`;
}

/** How a parameter's value is written, and where it is in the request; see `parameter`. */
type Writing = [encode?: (value: unknown) => string | null, path?: Path, encoding?: Encoding];

/** A parameter that is a value of the type. */
export function typedParameter(type: ColumnType, source: ParameterSource, ...writing: Writing): Sql {
  if (!takesGeoJson(type)) return parameter(source, type.sql, ...writing);
  return readText(type, parameter(source, 'text', ...writing), formOf(source));
}

/** A parameter that is an array of values of the type. */
export function arrayParameter(type: ColumnType, source: ParameterSource, ...writing: Writing): Sql {
  if (!takesGeoJson(type)) return parameter(source, `${type.sql}[]`, ...writing);
  return readTexts(type, parameter(source, 'text[]', ...writing));
}

/** Facts about a value that are known before the statement runs. */
function formOf(source: ParameterSource): 'geojson' | 'text' | undefined {
  if (source.from === 'object') return 'geojson';
  if (source.from !== 'constant') return undefined;
  return typeof source.value === 'string' ? 'text' : 'geojson';
}
