/** Where one object of the generated code is written, found by reading only the file that declares it. */
import type { AccessObject, PlacesAnswer } from '../../runtime/console/questions.ts';
import type { ActionShape } from '../../runtime/core/action/shapes.ts';
import type { AccessRules, DeclaredFunction, TableAccess } from '../../runtime/core/contract/shapes.ts';
import { objectKey } from '../../runtime/core/names.ts';
import type { RemoteSchemaShape } from '../../runtime/core/remotes/shapes.ts';
import type { Files } from '../phases/5-emit/index.ts';
import { commentText } from '../phases/5-emit/templates.ts';
import { readLiterals } from './generated-code/literals.ts';

interface Declaration {
  /** Files that declare objects of the kind. */
  readonly path: RegExp;
  readonly is: (value: Partial<Declared>, object: AccessObject) => boolean;
}

/** An export of such a file, by its properties. */
type Declared = TableAccess & DeclaredFunction & ActionShape & RemoteSchemaShape;

const DECLARATIONS: Readonly<Record<AccessObject['kind'], Declaration>> = {
  table: {
    path: /\.access\.ts$/,
    is: ({ table }, { source, name }) =>
      table?.source.name === source && objectKey(table.schema, table.name) === name,
  },
  function: {
    path: /^sources\/.*\/functions\//,
    is: ({ schema, name: own, ...value }, { source, name }) =>
      value.source?.name === source && objectKey(String(schema), String(own)) === name,
  },
  action: { path: /^actions\//, is: (value, { name }) => 'handler' in value && value.name === name },
  'remote schema': { path: /^remote\/.*\/remote\.ts$/, is: (value, { name }) => value.name === name },
};

/** Empty for an object without a file: a table on which no role has a permission. @param folder put before paths */
export function placesOf(files: Files, object: AccessObject, folder: string): PlacesAnswer {
  const { path: wanted, is } = DECLARATIONS[object.kind];
  const name = commentText(object.name);
  for (const [path, text] of files) {
    // Each file begins with a comment that names what it declares.
    if (!wanted.test(path) || !text.slice(0, text.indexOf('\n')).includes(name)) continue;
    const { exports, locate } = readLiterals(files, path);
    const found = Object.values(exports).find((value) => is(value as Partial<Declared>, object));
    if (!found) continue;
    const placeOf = (value: object) => {
      const place = locate(value);
      return place && `${folder}/${place.file}:${place.line}`;
    };
    return object.kind === 'table'
      ? { rules: placesOfRules(found as TableAccess, placeOf) }
      : only(placeOf(found));
  }
  return {};
}

function only(place: string | undefined): PlacesAnswer {
  return place === undefined ? {} : { place };
}

function placesOfRules(
  access: AccessRules,
  placeOf: (value: object) => string | undefined,
): NonNullable<PlacesAnswer['rules']> {
  const { select, insert, update, delete: remove } = access;
  return Object.fromEntries(
    Object.entries({ select, insert, update, delete: remove }).map(([operation, rules = {}]) => [
      operation,
      Object.fromEntries(
        Object.entries(rules).flatMap(([role, rule]) => {
          const place = placeOf(rule);
          return place === undefined ? [] : [[role, place]];
        }),
      ),
    ]),
  );
}
