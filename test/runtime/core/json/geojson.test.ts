import { describe, expect, test } from 'vitest';
import { checkGeoJson } from '../../../../runtime/core/json/geojson.ts';
import { NumberText } from '../../../../runtime/core/json/json-value.ts';

const ring = [
  [0, 0],
  [0, 1],
  [1, 1],
  [0, 0],
];

describe('a geometry is accepted:', () => {
  test.each([
    [{ type: 'Point', coordinates: [1, 2] }],
    [{ type: 'Point', coordinates: [new NumberText('1.0'), new NumberText('-2e1'), 3] }],
    [{ type: 'MultiPoint', coordinates: [] }],
    [{ type: 'LineString', coordinates: ring }],
    [{ type: 'MultiLineString', coordinates: [ring, ring] }],
    [{ type: 'Polygon', coordinates: [ring] }],
    [{ type: 'MultiPolygon', coordinates: [[ring], [ring]] }],
    [{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] }],
    [{ type: 'Point', coordinates: [1, 2], crs: null }],
    [{ type: 'Point', coordinates: [1, 2], crs: { type: 'name', properties: { name: 'EPSG:3857' } } }],
    [{ type: 'Point', coordinates: [1, 2], crs: { type: 'link', properties: { href: 'urn' } } }],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [new NumberText('1.0'), 0],
            [1, 1],
            [2, 2],
            [1, 0],
          ],
        ],
      },
    ],
  ])('%j', (value) => checkGeoJson(value));
});

describe('a geometry is refused:', () => {
  test.each([
    [[1, 2], 'parsing Geometry failed, expected Object, but encountered Array'],
    [new NumberText('1'), 'parsing Geometry failed, expected Object, but encountered Number'],
    [true, 'parsing Geometry failed, expected Object, but encountered Boolean'],
    [{}, 'key "type" not found'],
    [{ type: 'Random' }, 'unexpected geometry type: Random'],
    [{ type: 'toString', coordinates: [1, 2] }, 'unexpected geometry type: toString'],
    [{ type: 'Point' }, 'key "coordinates" not found'],
    [{ type: 'Point', coordinates: [1] }, 'A Position needs at least 2 elements'],
    [
      { type: 'Point', coordinates: [1, '2'] },
      'parsing Position failed, expected Number, but encountered String',
    ],
    [{ type: 'LineString', coordinates: [[1, 2]] }, 'A LineString needs at least 2 Positions'],
    [{ type: 'MultiLineString', coordinates: [ring, [[1, 2]]] }, 'A LineString needs at least 2 Positions'],
    [{ type: 'Polygon', coordinates: [ring.slice(1)] }, 'A LinearRing needs at least 4 Positions'],
    [
      { type: 'MultiPolygon', coordinates: [[[...ring, [5, 5]]]] },
      'the first and last locations have to be equal for a LinearRing',
    ],
    [
      { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
      'A Position needs at least 2 elements',
    ],
    [{ type: 'GeometryCollection', coordinates: [] }, 'key "geometries" not found'],
    [
      { type: 'Point', coordinates: [1, 2], crs: { type: 'other', properties: {} } },
      'unexpected CRS type: other',
    ],
    [{ type: 'Point', coordinates: [1, 2], crs: { type: 'name', properties: {} } }, 'key "name" not found'],
  ])('%j', (value, message) =>
    expect(() => checkGeoJson(value)).toThrow(expect.objectContaining({ code: 'parse-failed', message })),
  );
});
