/** Cases of `engine test` for a new role: two owners, each with a row, and what one of them reads, changes, deletes and may not insert. */
import { stringify } from 'yaml';
import type { SourceCatalog } from '../../../runtime/catalog/catalog.ts';
import type { RootFieldKind } from '../../../runtime/core/program/root-fields.ts';
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { CompileResult } from '../../index.ts';
import { type ExampleRow, type ExampleRows, exampleRows, isFreeColumn } from './example-rows.ts';
import type { TableProposal } from './propose-table.ts';

/** A case in the form of the file, and the table that it is about. */
export interface RoleCase {
  readonly table: string;
  readonly operation: 'select' | 'insert' | 'update' | 'delete';
  readonly body: {
    readonly name: string;
    readonly role: string;
    readonly session: Readonly<Record<string, string>>;
    readonly source?: string;
    readonly given: string;
    readonly query: string;
    readonly variables?: JsonObject;
    readonly expect: JsonObject;
  };
}

/** Cases for what is proposed, and tables for which no rows could be made. */
export function roleCases(
  role: string,
  source: string,
  catalog: SourceCatalog,
  proposals: readonly TableProposal[],
  { state }: CompileResult,
): { readonly cases: readonly RoleCase[]; readonly without: readonly string[] } {
  const tables = new Map(
    state.model.sources.find(({ shape }) => shape.name === source)!.tables.map((table) => [table.key, table]),
  );
  const without: string[] = [];
  const isOnly = state.model.sources.length === 1;
  const cases = proposals.flatMap((proposal): RoleCase[] => {
    const { table, ties, permissions } = proposal;
    if (!permissions.select) return [];
    const examples = exampleRows(catalog, table.catalog, ties);
    if (!examples) {
      without.push(table.key);
      return [];
    }
    const root = (kind: RootFieldKind) =>
      tables.get(table.key)!.rootFields.find((field) => field.kind === kind)?.name;
    const given = examples.sql.join('\n');
    const common = { role, session: examples.sessions[0]!, ...(!isOnly && { source }), given };
    const make = (
      operation: RoleCase['operation'],
      name: string,
      query: string,
      expect: JsonObject,
      variables?: JsonObject,
    ): RoleCase => ({
      table: table.key,
      operation,
      body: {
        name: `${role}: ${name} of ${table.key}`,
        ...common,
        query,
        ...(variables && { variables }),
        expect,
      },
    });
    const affected = (field: string): JsonObject => ({ data: { [field]: { affected_rows: 1 } } });
    const found = [make('select', 'reads own rows', `{ ${root('select')} { __typename } }`, { rows: 1 })];
    const column = changedColumn(proposal);
    const [update, remove, insert] = [root('update'), root('delete'), root('insert')];
    if (permissions.update && update && column)
      found.push(
        make(
          'update',
          'changes own rows',
          `mutation { ${update}(where: {}, _set: { ${column}: "changed" }) { affected_rows } }`,
          affected(update),
        ),
      );
    if (permissions.delete && remove)
      found.push(
        make(
          'delete',
          'deletes own rows',
          `mutation { ${remove}(where: {}) { affected_rows } }`,
          affected(remove),
        ),
      );
    const object = permissions.insert && insert ? strayObject(proposal, examples) : undefined;
    if (object)
      found.push(
        make(
          'insert',
          'inserts no row for another',
          `mutation ($object: ${table.shape.graphqlName}_insert_input!) { ${insert}(objects: [$object]) { affected_rows } }`,
          { error: 'permission-error' },
          { object },
        ),
      );
    return found;
  });
  return { cases, without };
}

/** Field of a text that may be changed to anything. */
function changedColumn({ table, permissions }: TableProposal): string | undefined {
  const columns = (permissions.update?.columns ?? []) as readonly string[];
  const found = columns.find((name) => {
    const column = table.catalog.columns.find((each) => each.name === name)!;
    return column.type.name === 'text' && !column.type.array && isFreeColumn(table.catalog, name);
  });
  return found === undefined ? undefined : (table.shape.columns[found]!.field ?? found);
}

/** The row that refers to what is another's; undefined where the client does not choose that. */
function strayObject(
  { table, ties, permissions }: TableProposal,
  { rows, stray }: ExampleRows,
): JsonObject | undefined {
  const columns = (permissions.insert?.columns ?? []) as readonly string[];
  const tying = ties.flatMap(({ steps }) => steps[0]?.key.columns ?? []);
  const isChosen = tying.some((name) => columns.includes(name) && stray.get(name) !== rows[0]!.get(name));
  if (!isChosen) return undefined;
  const chosen: [string, Json][] = columns.flatMap((name) =>
    stray.has(name) ? [[table.shape.columns[name]!.field ?? name, (stray as ExampleRow).get(name)!]] : [],
  );
  return Object.fromEntries(chosen);
}

/** The file of cases. */
export function casesText(role: string, cases: readonly RoleCase[]): string {
  const head = `# Two owners, each with rows; the session is that of the first. Made by engine role add ${role}, yours from now on.\n`;
  return (
    head +
    stringify(
      cases.map(({ body }) => body),
      { version: '1.2', lineWidth: 0, aliasDuplicateObjects: false },
    )
  );
}
