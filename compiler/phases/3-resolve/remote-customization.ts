/** Problems of the names that metadata gives to types and fields of a remote schema. */

import { Kind } from 'graphql';
import { BUILT_IN_SCALARS } from '../../../runtime/core/names.ts';
import type { RemoteDocument } from '../../../runtime/core/remotes/document.ts';
import { remoteNames } from '../../../runtime/core/remotes/names.ts';
import type { RemoteCustomization } from '../../../runtime/core/remotes/shapes.ts';
import type { RemoteSchemaCustomization } from '../../../runtime/metadata/metadata.ts';
import { repeats } from './custom-types.ts';

export function customizationProblems(
  customization: RemoteSchemaCustomization | undefined,
  { types }: RemoteDocument,
): string[] {
  if (!customization) return [];
  const problems: string[] = [];
  const repeated = repeats(Object.values(customization.type_names?.mapping ?? {}));
  if (repeated.length > 0)
    problems.push(
      `Type name mappings are not distinct; the following types appear more than once: ${listed(repeated)}`,
    );
  const mappings = new Map(customization.field_names.map((each) => [each.parent_type, each.mapping]));
  for (const [type, mapping] of mappings) {
    const kind = types.get(type)?.kind === Kind.INTERFACE_TYPE_DEFINITION ? 'interface' : 'object';
    const same = repeats(Object.values(mapping));
    if (same.length > 0)
      problems.push(
        `Field name mappings for ${kind} type ${JSON.stringify(type)} are not distinct; the following fields appear more than once: ${listed(same)}`,
      );
    const reserved = Object.keys(mapping).find((field) => field.startsWith('__'));
    if (reserved) problems.push(`attempt to customize reserved field name ${JSON.stringify(reserved)}`);
  }
  for (const definition of types.values()) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    const type = definition.name.value;
    for (const { name } of definition.interfaces ?? []) {
      const whole = types.get(name.value);
      if (whole?.kind !== Kind.INTERFACE_TYPE_DEFINITION) continue;
      for (const field of whole.fields ?? []) {
        const ofInterface = nameIn(customization, name.value, field.name.value);
        const ofType = nameIn(customization, type, field.name.value);
        if (ofInterface === ofType) continue;
        problems.push(
          `Remote schema customization inconsistency: field name mapping for field ${JSON.stringify(field.name.value)} of interface ${JSON.stringify(name.value)} is inconsistent with mapping for type ${JSON.stringify(type)}. Interface field name maps to ${JSON.stringify(ofInterface)}. Type field name maps to ${JSON.stringify(ofType)}.`,
        );
      }
    }
  }
  return problems;
}

function nameIn({ field_names }: RemoteSchemaCustomization, type: string, field: string): string {
  const own = field_names.find(({ parent_type }) => parent_type === type);
  if (!own) return field;
  const mapped = Object.hasOwn(own.mapping, field) ? own.mapping[field] : undefined;
  return mapped ?? `${own.prefix ?? ''}${field}${own.suffix ?? ''}`;
}

function listed(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** Types, or fields of one type, that would have one name. */
export function nameClashes(
  customization: RemoteCustomization | undefined,
  { types, roots }: RemoteDocument,
): string[] {
  const names = remoteNames(customization, new Set(Object.values(roots)));
  const problems: string[] = [];
  const claim = (taken: Map<string, string>, name: string, original: string, what: string) => {
    const other = taken.get(name);
    if (other === undefined) taken.set(name, original);
    else
      problems.push(
        `Remote schema customization inconsistency: ${what} ${JSON.stringify(other)} and ${JSON.stringify(original)} would both be called ${JSON.stringify(name)}.`,
      );
  };
  const taken = new Map([...BUILT_IN_SCALARS].map((name) => [name, name]));
  for (const [type, definition] of types) {
    if (!BUILT_IN_SCALARS.has(type)) claim(taken, names.type(type), type, 'types');
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.INTERFACE_TYPE_DEFINITION)
      continue;
    const fields = new Map<string, string>();
    for (const { name } of definition.fields ?? [])
      claim(fields, names.field(type, name.value), name.value, `fields of type ${JSON.stringify(type)}`);
  }
  return problems;
}
