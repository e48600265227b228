/** A mutation as a GraphQL document: each argument a literal or a variable, by chance. */
import type { Json } from '../../../runtime/metadata/metadata.ts';
import { conditionJson } from '../queries/condition.ts';
import type { Document } from '../queries/print.ts';
import { type Project, tableNamed } from '../queries/project.ts';
import type { Selection } from '../queries/request.ts';
import type { Random } from '../random.ts';
import { FUNCTIONS } from './functions.ts';
import type {
  Change,
  Changes,
  Conflict,
  InsertObject,
  Mutation,
  MutationField,
  Related,
  UpdateEntry,
} from './request.ts';
import { OPERATORS } from './request.ts';

/** A value of an enum, bare in a document and a text in variables. */
class Name {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Input = Json | Name | readonly Input[] | { readonly [key: string]: Input };

export function printMutation(project: Project, mutation: Mutation, random: Random): Document {
  const declarations: string[] = [];
  const variables: Record<string, Json> = {};
  const fields = mutation.fields.map(print);
  const head = declarations.length > 0 ? `mutation (${declarations.join(', ')})` : 'mutation';
  return { query: `${head} { ${fields.join(' ')} }`, variables };

  function print(field: MutationField): string {
    const { table } = field;
    const rows = field.returning && selectionText(table, field.returning);
    const list = `{ affected_rows${rows === undefined ? '' : ` returning ${rows}`} }`;
    const text = (name: string, args: readonly string[], result: string) =>
      `${field.response}: ${name}${args.length > 0 ? `(${args.join(', ')})` : ''} ${result}`;
    switch (field.kind) {
      case 'insert':
        return text(
          `insert_${table}`,
          [
            argument('objects', `[${table}_insert_input!]!`, field.objects.map(objectInput)),
            ...conflictArgument(table, field.conflict),
          ],
          list,
        );
      case 'insert one':
        return text(
          `insert_${table}_one`,
          [
            argument('object', `${table}_insert_input!`, objectInput(field.objects[0]!)),
            ...conflictArgument(table, field.conflict),
          ],
          rows!,
        );
      case 'update':
        return text(
          `update_${table}`,
          [whereArgument(table, field.where), ...changeArguments(table, field)],
          list,
        );
      case 'update by key':
        return text(
          `update_${table}_by_pk`,
          [argument('pk_columns', `${table}_pk_columns_input!`, field.key), ...changeArguments(table, field)],
          rows!,
        );
      case 'update many': {
        const updates = field.entries.map(updateInput);
        return text(`update_${table}_many`, [argument('updates', `[${table}_updates!]!`, updates)], list);
      }
      case 'delete':
        return text(`delete_${table}`, [whereArgument(table, field.where)], list);
      case 'delete by key':
        return text(
          `delete_${table}_by_pk`,
          Object.entries(field.key).map(([name, value]) => `${name}: ${literal(value)}`),
          rows!,
        );
      case 'call': {
        const { function: name, arguments: args, limit } = field;
        const list = FUNCTIONS[name]!.set;
        return text(
          name,
          [
            argument('args', `${name}_args!`, args),
            ...(list ? [whereArgument(table, field.where)] : []),
            ...(limit === undefined ? [] : [`limit: ${limit}`]),
          ],
          rows!,
        );
      }
    }
  }

  function argument(name: string, type: string, value: Input): string {
    if (random.chance(0.5)) return `${name}: ${literal(value)}`;
    const variable = `v${declarations.length + 1}`;
    declarations.push(`$${variable}: ${type}`);
    variables[variable] = plain(value);
    return `${name}: $${variable}`;
  }

  function whereArgument(table: string, where: Parameters<typeof conditionJson>[0]): string {
    // Literals of conditions are the query campaign's business.
    const variable = `v${declarations.length + 1}`;
    declarations.push(`$${variable}: ${table}_bool_exp!`);
    variables[variable] = conditionJson(where);
    return `where: $${variable}`;
  }

  function conflictArgument(table: string, conflict: Conflict | undefined): string[] {
    return conflict ? [argument('on_conflict', `${table}_on_conflict`, conflictInput(conflict))] : [];
  }

  function changeArguments(table: string, { changes, related }: Changes): string[] {
    return [
      ...changesByOperator(changes).map(([operator, values]) =>
        argument(operator, `${table}${operator}_input`, values),
      ),
      ...(related.length > 0
        ? [argument('related', `${table}_related_update_input`, relatedInput(related))]
        : []),
    ];
  }

  function selectionText(table: string, selection: Selection): string {
    const texts = selection.map((field) => {
      if (field.kind === 'typename') return '__typename';
      if (field.kind === 'column') return field.name;
      if (field.kind !== 'object' && field.kind !== 'array') throw new Error(`no ${field.kind} here`);
      const { target } = tableNamed(project, table).relationships.find(({ name }) => name === field.name)!;
      return `${field.name} ${selectionText(target, field.selection)}`;
    });
    return `{ ${texts.join(' ')} }`;
  }
}

function changesByOperator(changes: readonly Change[]): (readonly [string, Record<string, Json>])[] {
  return OPERATORS.flatMap((operator) => {
    const own = changes.filter((change) => change.operator === operator);
    return own.length === 0
      ? []
      : [[operator, Object.fromEntries(own.map(({ column, value }) => [column, value]))] as const];
  });
}

function updateInput({ where, changes, related }: UpdateEntry): Input {
  return {
    where: conditionJson(where),
    ...Object.fromEntries(changesByOperator(changes)),
    ...(related.length > 0 && { related: relatedInput(related) }),
  };
}

function relatedInput(related: readonly Related[]): Input {
  return Object.fromEntries(
    related.map(({ relationship, kind, delete: removed, updates, insert }) => [
      relationship,
      {
        ...(removed && { delete: { where: conditionJson(removed) } }),
        ...(updates.length > 0 && {
          update: kind === 'object' ? updateInput(updates[0]!) : updates.map(updateInput),
        }),
        ...(insert && {
          insert: {
            data: insert.objects.map(objectInput),
            ...(insert.conflict && { on_conflict: conflictInput(insert.conflict) }),
          },
        }),
      },
    ]),
  );
}

function objectInput({ columns, nested }: InsertObject): Input {
  return {
    ...columns,
    ...Object.fromEntries(
      nested.map(({ relationship, kind, objects, conflict }) => [
        relationship,
        {
          data: kind === 'object' ? objectInput(objects[0]!) : objects.map(objectInput),
          ...(conflict && { on_conflict: conflictInput(conflict) }),
        },
      ]),
    ),
  };
}

function conflictInput({ constraint, columns, where }: Conflict): Input {
  return {
    constraint: new Name(constraint),
    update_columns: columns.map((column) => new Name(column)),
    ...(where && { where: conditionJson(where) }),
  };
}

function plain(value: Input): Json {
  if (value instanceof Name) return value.text;
  if (Array.isArray(value)) return (value as readonly Input[]).map(plain);
  if (typeof value !== 'object' || value === null) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item as Input)]));
}

function literal(value: Input): string {
  if (value instanceof Name) return value.text;
  if (Array.isArray(value)) return `[${(value as readonly Input[]).map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}: ${literal(item as Input)}`)
    .join(', ')}}`;
}
