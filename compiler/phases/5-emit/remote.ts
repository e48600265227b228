/** `remote/<name>/`: the address and headers of a remote schema, the whole schema, and the part that each role sees. */
import type { RemoteSchemaShape } from '../../../runtime/core/remotes/shapes.ts';
import type { ProgramNames } from './names.ts';
import { entries, properties } from './table.ts';
import { templates } from './templates.ts';

/** Texts by path. */
export function emitRemote(remote: RemoteSchemaShape, names: ProgramNames): [string, string][] {
  const { name, schema, roles, headers = {}, relationships = {} } = remote;
  const { path, identifier } = names.remote(name);
  const files = Object.keys(roles).map((role) => {
    const file = names.remoteRole(name, role);
    return {
      role,
      identifier: file.identifier,
      file: `./${file.path.slice(path.length + 1)}.ts`,
      path: file.path,
    };
  });
  return [
    [
      `${path}/remote.ts`,
      templates.remote({
        place: `remote schema ${name}`,
        identifier,
        properties: properties(remote, ['name', 'url', 'timeout', 'forwardClientHeaders', 'customization']),
        headers: entries(headers, 2),
        relationships: Object.entries(relationships).map(([type, record]) => ({
          type,
          entries: entries(record, 3),
        })),
        schemaFile: './schema.ts',
        roles: files,
      }),
    ],
    [
      `${path}/schema.ts`,
      templates.sdl({ place: `remote schema ${name} · everything it offers`, sdl: schema }),
    ],
    ...files.map(({ role, path: file }): [string, string] => [
      `${file}.ts`,
      templates.sdl({ place: `remote schema ${name} · what the role ${role} sees`, sdl: roles[role]! }),
    ]),
  ];
}
