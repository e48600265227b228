/**
 * GeoJSON as a client writes it. Refused here are the mistakes that PostGIS reports in words that do not help a client, or
 * does not report at all.
 */
import { EngineError } from '../errors.ts';
import { isObject } from './json.ts';
import { expectedKind, NumberText } from './json-value.ts';

type Check = (coordinates: unknown) => void;

const GEOMETRIES: Readonly<Record<string, Check>> = {
  Point: position,
  MultiPoint: listOf(position),
  LineString: line,
  MultiLineString: listOf(line),
  Polygon: listOf(ring),
  MultiPolygon: listOf(listOf(ring)),
};

/**
 * Checks that a value is a geometry: type, number of positions, closed rings, reference system.
 * @throws EngineError parse-failed, with a path of `$` that the caller completes
 */
export function checkGeoJson(value: unknown): void {
  const geometry = requireObject('Geometry', value);
  const type = requireText('type', requireKey(geometry, 'type'));
  if (type === 'GeometryCollection') {
    requireList('geometries', requireKey(geometry, 'geometries')).forEach(checkGeoJson);
  } else {
    const check = Object.hasOwn(GEOMETRIES, type) ? GEOMETRIES[type] : undefined;
    if (!check) throw invalid(`unexpected geometry type: ${type}`);
    check(requireKey(geometry, 'coordinates'));
  }
  if (geometry.crs !== undefined && geometry.crs !== null) checkReferenceSystem(geometry.crs);
}

function checkReferenceSystem(value: unknown): void {
  const crs = requireObject('CRS', value);
  const type = requireText('type', requireKey(crs, 'type'));
  if (type !== 'name' && type !== 'link') throw invalid(`unexpected CRS type: ${type}`);
  const properties = requireObject('properties', requireKey(crs, 'properties'));
  const key = type === 'name' ? 'name' : 'href';
  requireText(key, requireKey(properties, key));
}

function position(value: unknown): void {
  const numbers = requireList('Position', value);
  if (numbers.length < 2) throw invalid('A Position needs at least 2 elements');
  for (const number of numbers) {
    if (typeof number !== 'number' && !(number instanceof NumberText))
      throw expectedKind('Position', 'Number', number);
  }
}

function line(value: unknown): void {
  const positions = requireList('LineString', value);
  if (positions.length < 2) throw invalid('A LineString needs at least 2 Positions');
  positions.forEach(position);
}

function ring(value: unknown): void {
  const positions = requireList('LinearRing', value);
  if (positions.length < 4) throw invalid('A LinearRing needs at least 4 Positions');
  positions.forEach(position);
  const [first, last] = [positions[0], positions.at(-1)].map((each) => (each as unknown[]).map(toNumber));
  if (first!.length !== last!.length || first!.some((number, index) => number !== last![index]))
    throw invalid('the first and last locations have to be equal for a LinearRing');
}

function toNumber(value: unknown): number {
  return Number(value instanceof NumberText ? value.text : value);
}

function listOf(check: Check): Check {
  return (value) => requireList('coordinates', value).forEach(check);
}

function requireObject(what: string, value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw expectedKind(what, 'Object', value);
  return value;
}

function requireKey(object: Readonly<Record<string, unknown>>, key: string): unknown {
  if (!Object.hasOwn(object, key)) throw invalid(`key "${key}" not found`);
  return object[key];
}

function requireText(what: string, value: unknown): string {
  if (typeof value !== 'string') throw expectedKind(what, 'String', value);
  return value;
}

function requireList(what: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw expectedKind(what, 'Array', value);
  return value;
}

function invalid(message: string): EngineError {
  return new EngineError('parse-failed', message);
}
