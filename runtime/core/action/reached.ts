/** The part of the custom types that actions reach. */
import type { ActionShape, CustomFieldShape, CustomTypesShape } from './shapes.ts';

const KINDS = ['scalars', 'enums', 'inputs', 'objects', 'postgres'] as const;

/** The types that the arguments and outputs of actions reach; relationships of objects stay. */
export function reachedTypes(types: CustomTypesShape, actions: readonly ActionShape[]): CustomTypesShape {
  const reached = new Set<string>();
  const visit = (text: string): void => {
    const name = text.replace(/[[\]!\s]/g, '');
    if (reached.has(name)) return;
    reached.add(name);
    const record = [types.inputs, types.objects].find((each) => each && Object.hasOwn(each, name));
    for (const { type } of Object.values<CustomFieldShape>(record?.[name]?.fields ?? {})) visit(type);
  };
  for (const { arguments: args, output } of actions) {
    visit(output);
    for (const { type } of Object.values(args)) visit(type);
  }
  return Object.fromEntries(
    KINDS.flatMap((kind) => {
      const kept = Object.entries(types[kind] ?? {}).filter(([name]) => reached.has(name));
      return kept.length > 0 ? [[kind, Object.fromEntries(kept)]] : [];
    }),
  );
}
