/** Values of the metadata as SQL: quoted literals, plain numbers, session variables cast to the type that is needed. */
import { join, literal, raw, type Sql, sql } from '../../../runtime/core/sql/fragment.ts';
import { momentOf } from '../../../runtime/core/sql/moments.ts';
import { readText, takesGeoJson, typedParameter } from '../../../runtime/core/sql/spatial.ts';
import { type ColumnType, encodeValue } from '../../../runtime/core/types.ts';
import type { Json } from '../../../runtime/metadata/metadata.ts';
import type { Value } from '../../model/model.ts';

/** SQL of a value whose type no context gives: the type is always visible. */
export function typedValue(type: ColumnType, value: Value): Sql {
  if (value.kind === 'session') return typedParameter(type, { from: 'session', name: value.name });
  return plainLiteral(type, value.value) ?? castLiteral(type, value.value);
}

/**
 * SQL of a value beside a column of its type. Postgres reads an untyped literal as the type of the other side, so a text
 * or an enum value needs no cast; the others keep it, because it shows the reader what the text means.
 */
export function comparedValue(type: ColumnType, value: Value): Sql {
  if (value.kind === 'session') return typedValue(type, value);
  const encoded = encodeValue(type, value.value);
  const reads =
    type.family === 'text' || (type.family === 'unknown' && type.key.includes('.') && !type.isComposite);
  if (reads && encoded !== null && momentOf(type, encoded) === undefined) return literal(encoded);
  return typedValue(type, value);
}

/** Numbers and booleans that mean the same without quotes and cast. */
function plainLiteral(type: ColumnType, value: Json): Sql | undefined {
  if (typeof value === 'boolean' && type.family === 'boolean') return value ? raw('true') : raw('false');
  if (typeof value !== 'number' || !['integer', 'float'].includes(type.family)) return undefined;
  if (Number.isSafeInteger(value) && type.name !== 'money') return raw(String(value));
  // A plain 1.5 is numeric: exact for numeric columns, while a comparison with real or double would be in another type.
  return type.name === 'numeric' && /^-?\d+\.\d+$/.test(String(value)) ? raw(String(value)) : undefined;
}

function castLiteral(type: ColumnType, value: Json): Sql {
  if (value === null) return sql`null::${raw(type.sql)}`;
  const encoded = encodeValue(type, value)!;
  const moment = momentOf(type, encoded);
  if (moment === 'now') return raw(type.name === 'timestamptz' ? 'now()' : `now()::${type.sql}`);
  // Postgres reads a literal once, when it prepares the statement, and would keep that moment for as long as the statement lives;
  // by way of text it is read every time.
  if (moment === 'text') return sql`${literal(encoded)}::text::${raw(type.sql)}`;
  if (type.element && Array.isArray(value) && value.every((item) => item !== null && !Array.isArray(item))) {
    const { element } = type;
    const items = value.map(
      (item: Json) =>
        plainLiteral(element, item) ??
        (takesGeoJson(element) ? castLiteral(element, item) : literal(encodeValue(element, item)!)),
    );
    return sql`array[${join(items, ', ')}]::${raw(type.sql)}`;
  }
  if (takesGeoJson(type) && !type.element)
    return readText(type, literal(encoded), typeof value === 'string' ? 'text' : 'geojson');
  return sql`${literal(encoded)}::${raw(type.sql)}`;
}
