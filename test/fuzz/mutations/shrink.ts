/** Makes a failing mutation smaller: whatever can be left out without it passing is left out. */
import { EVERYTHING } from './permissions.ts';
import type { Changes, InsertObject, Mutation, MutationField, Related } from './request.ts';

export async function smaller(
  mutation: Mutation,
  fails: (candidate: Mutation) => Promise<boolean>,
): Promise<Mutation> {
  let smallest = mutation;
  for (let found = true; found; ) {
    found = false;
    for (const candidate of candidates(smallest)) {
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
  }
  return smallest;
}

function* candidates(mutation: Mutation): Generator<Mutation> {
  const { fields } = mutation;
  if (fields.length > 1) for (const list of withoutOne(fields)) yield { ...mutation, fields: list };
  for (const [index, field] of fields.entries()) {
    for (const changed of smallerFields(field))
      yield { ...mutation, fields: fields.map((each, at) => (at === index ? changed : each)) };
  }
}

function* smallerFields(field: MutationField): Generator<MutationField> {
  const ofRows = field.kind === 'insert one' || field.kind === 'call' || field.kind.endsWith('by key');
  if (field.returning && !ofRows) yield { ...field, returning: undefined };
  if (field.returning && field.returning.length > 1)
    for (const returning of withoutOne(field.returning)) yield { ...field, returning };
  switch (field.kind) {
    case 'insert':
    case 'insert one':
      if (field.conflict) yield { ...field, conflict: undefined };
      if (field.conflict?.where) yield { ...field, conflict: { ...field.conflict, where: undefined } };
      if (field.kind === 'insert')
        for (const objects of withoutOne(field.objects)) yield { ...field, objects };
      for (const objects of changedObjects(field.objects)) yield { ...field, objects };
      return;
    case 'update':
    case 'update by key':
      yield* smallerUpdates(field);
      return;
    case 'update many':
      for (const entries of withoutOne(field.entries)) yield { ...field, entries };
      for (const entries of eachChanged(field.entries, smallerUpdates)) yield { ...field, entries };
  }
}

function* smallerUpdates<Update extends Changes>(update: Update): Generator<Update> {
  for (const related of withoutOne(update.related)) yield { ...update, related };
  for (const changes of withoutOne(update.changes)) yield { ...update, changes };
  if ('where' in update && update.where !== EVERYTHING) yield { ...update, where: EVERYTHING };
  for (const related of eachChanged(update.related, smallerRelated)) yield { ...update, related };
}

function* smallerRelated(related: Related): Generator<Related> {
  const { updates, insert } = related;
  if (related.delete) yield { ...related, delete: undefined };
  if (insert) yield { ...related, insert: undefined };
  if (insert?.conflict) yield { ...related, insert: { ...insert, conflict: undefined } };
  if (insert)
    for (const objects of [...withoutOne(insert.objects), ...changedObjects(insert.objects)])
      yield { ...related, insert: { ...insert, objects } };
  for (const list of withoutOne(updates)) yield { ...related, updates: list };
  for (const list of eachChanged(updates, smallerUpdates)) yield { ...related, updates: list };
}

function* eachChanged<Item>(
  items: readonly Item[],
  smallerItems: (item: Item) => Iterable<Item>,
): Generator<Item[]> {
  for (const [index, item] of items.entries())
    for (const changed of smallerItems(item)) yield items.map((each, at) => (at === index ? changed : each));
}

function changedObjects(objects: readonly InsertObject[]): Generator<InsertObject[]> {
  return eachChanged(objects, smallerObjects);
}

function* smallerObjects(object: InsertObject): Generator<InsertObject> {
  for (const nested of withoutOne(object.nested)) yield { ...object, nested };
  for (const name of Object.keys(object.columns)) {
    const { [name]: _, ...columns } = object.columns;
    yield { ...object, columns };
  }
  for (const [index, nested] of object.nested.entries()) {
    const replaced = (changed: typeof nested) => ({
      ...object,
      nested: object.nested.map((each, at) => (at === index ? changed : each)),
    });
    if (nested.conflict) yield replaced({ ...nested, conflict: undefined });
    if (nested.kind === 'array')
      for (const objects of withoutOne(nested.objects)) yield replaced({ ...nested, objects });
    for (const objects of changedObjects(nested.objects)) yield replaced({ ...nested, objects });
  }
}

function* withoutOne<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let index = 0; index < items.length; index += 1) yield items.filter((_, at) => at !== index);
}
