/**
 * GraphQL's rule that fields of one response name can be merged, where fragments for several types of an interface or a union
 * meet. Within one type the fields are merged when they are collected.
 */
import { EngineError } from '../errors.ts';
import type { SelectedField, Selection } from '../request/selection.ts';
import { namedType, type TypeReference } from '../schema/types.ts';
import { argumentsText, givenArguments } from './text.ts';

interface Entry {
  readonly owner: string;
  readonly field: SelectedField;
}

/** @param isObject whether a type, by its name in the selection, is an object type @throws EngineError */
export function requireMergeable(selection: Selection, isObject: (type: string) => boolean): void {
  const groups = new Map<string, Entry[]>();
  for (const entry of entriesOf(selection)) {
    const known = groups.get(entry.field.responseName);
    for (const other of known ?? []) compare(other, entry, false);
    if (known) known.push(entry);
    else groups.set(entry.field.responseName, [entry]);
    requireMergeable(entry.field.selection, isObject);
  }

  function compare(left: Entry, right: Entry, isExclusive: boolean): void {
    const { responseName, path } = right.field;
    const refuse = (reason: string) =>
      new EngineError(
        'validation-failed',
        `selections of the response name '${responseName}' cannot be merged: ${reason}`,
        { path },
      );
    const exclusive =
      isExclusive || (left.owner !== right.owner && isObject(left.owner) && isObject(right.owner));
    const [a, b] = [left.field, right.field];
    if (!exclusive && a.definition.name !== b.definition.name)
      throw refuse(`'${a.definition.name}' and '${b.definition.name}' are different fields`);
    if (!exclusive && argumentsOf(a) !== argumentsOf(b)) throw refuse('their arguments differ');
    // As graphql-js: the type of `__typename` is compared with none.
    const isTypename = [a, b].some(({ definition }) => definition.meaning.kind === 'typename');
    if (!isTypename && !haveOneShape(a.definition.type, b.definition.type))
      throw refuse('their types differ');
    const others = entriesOf(b.selection);
    for (const entry of entriesOf(a.selection))
      for (const other of others)
        if (entry.field.responseName === other.field.responseName) compare(entry, other, exclusive);
  }
}

function entriesOf(selection: Selection): Entry[] {
  const own = selection.fields.map((field) => ({ owner: selection.typeName, field }));
  return [...own, ...(selection.narrowed ?? []).flatMap(entriesOf)];
}

function argumentsOf(field: SelectedField): string {
  const { meaning } = field.definition;
  return meaning.kind === 'remote' ? JSON.stringify(argumentsText(givenArguments(field, meaning.field))) : '';
}

function haveOneShape(left: TypeReference, right: TypeReference): boolean {
  const isWrapped = ({ kind }: TypeReference) => kind === 'nonNull' || kind === 'list';
  if (isWrapped(left) || isWrapped(right))
    return left.kind === right.kind && 'of' in left && 'of' in right && haveOneShape(left.of, right.of);
  const isLeaf = [left, right].some(({ kind }) => kind === 'scalar' || kind === 'enum');
  return !isLeaf || namedType(left).name === namedType(right).name;
}
