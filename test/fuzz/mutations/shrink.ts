/** Makes a failing mutation smaller: whatever can be left out without it passing is left out. */
import type { InsertObject, Mutation, MutationField } from './request.ts';

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
      for (const changes of withoutOne(field.changes)) yield { ...field, changes };
      return;
    case 'update many':
      for (const entries of withoutOne(field.entries)) yield { ...field, entries };
  }
}

function* changedObjects(objects: readonly InsertObject[]): Generator<InsertObject[]> {
  for (const [index, object] of objects.entries()) {
    for (const changed of smallerObjects(object))
      yield objects.map((each, at) => (at === index ? changed : each));
  }
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
