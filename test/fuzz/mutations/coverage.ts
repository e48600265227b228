/** What a campaign of mutations has tried and how it ended. */
import type { Outcome } from './oracle.ts';
import type { Permissions } from './permissions.ts';
import type { Change, Changes, Conflict, InsertObject, Mutation, MutationField } from './request.ts';
import { baseOf } from './tables.ts';

export class Coverage {
  readonly #counts = new Map<string, Map<string, number>>();

  #add(group: string, item: string): void {
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    this.#counts.set(group, counts);
    counts.set(item, (counts.get(item) ?? 0) + 1);
  }

  addPermissions({ write }: Permissions): void {
    for (const tables of Object.values(write)) {
      for (const { insert, update, delete: remove } of Object.values(tables)) {
        const presets = (set: object) => (Object.keys(set).length > 0 ? ' with presets' : '');
        for (const [kind, rule] of Object.entries({ insert, update, delete: remove }))
          if (rule?.backendOnly) this.#add('permissions', `${kind} for the backend only`);
        if (insert) this.#add('permissions', `insert${presets(insert.set)}`);
        if (update)
          this.#add('permissions', `update${update.check ? ' with check' : ''}${presets(update.set)}`);
        if (remove) this.#add('permissions', `delete${remove.check ? ' with check' : ''}`);
      }
    }
  }

  addCase(mutation: Mutation, outcome: Outcome): void {
    this.#add('roles', `${mutation.role}${mutation.backend ? ' in the backend' : ''}`);
    const ending = outcome.kind === 'answer' ? 'done' : [...outcome.codes].join(' or ');
    this.#add('outcomes', ending);
    this.#add(`outcomes of requests with ${mutation.fields.length} fields`, ending);
    for (const [index, field] of mutation.fields.entries()) {
      this.#add('fields', `${field.kind} of ${field.kind === 'call' ? field.function : field.table}`);
      this.#add(`outcomes of ${field.kind}`, ending);
      switch (field.kind) {
        case 'insert':
        case 'insert one':
          this.#conflict(field.conflict, 0);
          for (const object of field.objects) this.#object(object, 0);
          this.#tree(field, index === 0, ending);
          break;
        case 'update':
        case 'update by key':
          this.#update(field.table, field, 0, ending);
          break;
        case 'update many':
          for (const entry of field.entries) this.#update(field.table, entry, 0, ending);
      }
    }
  }

  /** Of nested inserts: what there is in the way of inserting them in batches. */
  #tree(
    field: Extract<MutationField, { kind: 'insert' | 'insert one' }>,
    isFirst: boolean,
    ending: string,
  ): void {
    const places = new Map([['', field.table]]);
    const conflicts = [field.conflict];
    const visit = (objects: readonly InsertObject[], path: string) => {
      for (const { relationship, target, objects: inner, conflict } of objects.flatMap(
        ({ nested }) => nested,
      )) {
        if (inner.length === 0) continue;
        const place = `${path}.${relationship}`;
        places.set(place, target);
        conflicts.push(conflict);
        visit(inner, place);
      }
    };
    visit(field.objects, '');
    if (places.size === 1) return;
    const tables = [...places.values()];
    const what = conflicts.some((each) => each)
      ? 'with on_conflict'
      : tables.some((table) => baseOf(table) !== table)
        ? 'with a view'
        : new Set(tables).size < tables.length
          ? 'of a table twice'
          : 'of every table once';
    this.#add(`nested inserts ${what}`, `${isFirst ? 'first' : 'later'} field: ${ending}`);
  }

  #object({ nested }: InsertObject, depth: number): void {
    for (const { relationship, objects, conflict } of nested) {
      this.#add('nested inserts', `${relationship} at depth ${depth}`);
      this.#conflict(conflict, depth + 1);
      for (const object of objects) this.#object(object, depth + 1);
    }
  }

  #conflict(conflict: Conflict | undefined, depth: number): void {
    if (!conflict) return;
    const how = conflict.columns.length === 0 ? 'ignored' : conflict.where ? 'updated where' : 'updated';
    this.#add('conflicts', `${how} at depth ${depth}`);
  }

  #update(table: string, { changes, related }: Changes, depth: number, ending: string): void {
    this.#changes(changes);
    if (related.length > 0) {
      const how = changes.length === 0 ? 'chosen' : 'changed';
      this.#add('nested updates of rows', `${how} at depth ${depth}: ${ending}`);
    }
    for (const { relationship, target, delete: removed, updates, insert } of related) {
      const place = `${table}.${relationship}`;
      if (removed) this.#add('nested updates', `delete ${place}`);
      if (insert) this.#add('nested updates', `insert ${place}`);
      this.#conflict(insert?.conflict, depth + 1);
      for (const update of updates) {
        this.#add('nested updates', `update ${place}`);
        this.#update(target, update, depth + 1, ending);
      }
    }
  }

  #changes(changes: readonly Change[]): void {
    this.#add('operators', changes.length === 0 ? 'none' : `${changes.length} together`);
    for (const { operator } of changes) this.#add('operators', operator);
  }

  /** The counts as text, a group a paragraph. */
  report(): string {
    const sorted = <Value>(map: ReadonlyMap<string, Value>) =>
      [...map].sort(([left], [right]) => (left < right ? -1 : 1));
    return sorted(this.#counts)
      .map(
        ([group, counts]) =>
          `${group}\n  ${sorted(counts)
            .map(([item, count]) => `${item} ${count}`)
            .join(' · ')}`,
      )
      .join('\n\n');
  }
}
