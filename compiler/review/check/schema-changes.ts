/**
 * Changes of a role's schema. What breaks clients and what endangers them graphql-js says; what is neither (something new,
 * or a promise made stronger) is found here.
 */
import {
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInputObjectType,
  isObjectType,
  isRequiredInputField,
  isSpecifiedScalarType,
} from 'graphql';
import type { WeighedChange } from './change.ts';

/** Every change from one schema to the other. Descriptions do not count. */
export function schemaChanges(base: GraphQLSchema, head: GraphQLSchema): WeighedChange[] {
  const change =
    (weight: WeighedChange['weight']) =>
    ({ type, description }: { readonly type: string; readonly description: string }): WeighedChange => ({
      weight,
      kind: type,
      text: description.replace(/\.$/, ''),
    });
  // A standard scalar goes with the last field that uses it: that field says it all.
  const breaking = findBreakingChanges(base, head).filter(
    ({ description }) => !description.startsWith('Standard scalar'),
  );
  const dangerous = findDangerousChanges(base, head);
  // graphql-js calls new optional input fields dangerous; clients that do not send them cannot notice.
  const isNewInput = ({ type }: { type: string }) => type === DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED;
  return [
    ...breaking.map(change('breaking')),
    ...dangerous.filter((each) => !isNewInput(each)).map(change('dangerous')),
    ...dangerous.filter(isNewInput).map(change('safe')),
    ...safeChanges(base, head),
  ];
}

function safeChanges(base: GraphQLSchema, head: GraphQLSchema): WeighedChange[] {
  const changes: WeighedChange[] = [];
  const add = (kind: string, text: string) => changes.push({ weight: 'safe', kind, text });
  const before = base.getTypeMap();
  for (const [name, type] of Object.entries(head.getTypeMap())) {
    if (name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    const old = before[name];
    if (!old) add('TYPE_ADDED', `Type ${name} was added`);
    else if (isObjectType(old) && isObjectType(type)) compareObjects(old, type, add);
    else if (isInputObjectType(old) && isInputObjectType(type)) compareInputs(old, type, add);
  }
  return changes;
}

type Add = (kind: string, text: string) => void;

function compareObjects(base: GraphQLObjectType, head: GraphQLObjectType, add: Add): void {
  const before = base.getFields();
  for (const [name, field] of Object.entries(head.getFields())) {
    const old = before[name];
    if (!old) {
      add('FIELD_ADDED', `${head.name}.${name} was added`);
      continue;
    }
    // A type made stronger; weaker ones and others are breaking.
    if (isStronger(String(old.type), String(field.type)))
      add('FIELD_CHANGED_KIND', `${head.name}.${name} changed type from ${old.type} to ${field.type}`);
    for (const argument of field.args) {
      const was = old.args.find((each) => each.name === argument.name);
      if (was && isStronger(String(argument.type), String(was.type)))
        add(
          'ARG_CHANGED_KIND',
          `${head.name}.${name} arg ${argument.name} has changed type from ${was.type} to ${argument.type}`,
        );
    }
  }
}

function compareInputs(base: GraphQLInputObjectType, head: GraphQLInputObjectType, add: Add): void {
  const before = base.getFields();
  for (const [name, field] of Object.entries(head.getFields())) {
    const old = before[name];
    // graphql-js has reported additions already.
    if (!old || isRequiredInputField(field)) continue;
    if (isStronger(String(field.type), String(old.type)))
      add('FIELD_CHANGED_KIND', `${head.name}.${name} changed type from ${old.type} to ${field.type}`);
  }
}

/** True if the second type is the first with more `!`. */
export function isStronger(weak: string, strong: string): boolean {
  if (weak === strong || weak.replaceAll('!', '') !== strong.replaceAll('!', '')) return false;
  let at = 0;
  for (const character of strong) {
    if (weak[at] === character) at += 1;
    else if (character !== '!') return false;
  }
  return at === weak.length;
}
