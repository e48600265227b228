/** Every key of the metadata that holds the name of another object: renames follow, drops report and remove its object. */
import { expect, test } from 'vitest';
import { type Codec, mapNames } from '../../../runtime/metadata/codec.ts';
import {
  type Dependency,
  describeDependent,
  findDependents,
  removeDependents,
} from '../../../runtime/metadata/dependencies.ts';
import { exportMetadata } from '../../../runtime/metadata/export-metadata.ts';
import {
  type Json,
  type JsonObject,
  type Metadata,
  metadataBody,
} from '../../../runtime/metadata/metadata.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';
import {
  type Needed,
  type ReferenceContext,
  type ReferenceVisitor,
  Walk,
} from '../../../runtime/metadata/references.ts';
import { Random } from '../../fuzz/random.ts';
import { randomMetadata, type ValueAt } from './random-metadata.ts';

/** Names in the documents of these tests tell what they name: `col_00017` is a column. */
type Kind = 'src' | 'tab' | 'col' | 'rel' | 'cmp' | 'fun' | 'rem';

/** What each text of the metadata names, by the keys that lead there. The key of a record is followed by `{}`. */
const NAMED: readonly (readonly [RegExp, Kind])[] = [
  [/^sources name$/, 'src'],
  [/ (to_source|relationships) source$/, 'src'],
  [/^sources tables table( name)?$/, 'tab'],
  [/ (to_source|foreign_key_constraint_on) table( name)?$/, 'tab'],
  [/ remote_table( name)?$/, 'tab'],
  [/ computed_fields function( name)?$/, 'fun'],
  [/ remote_schema$/, 'rem'],
  [/ select_permissions permission computed_fields$/, 'cmp'],
  [/ (permission|definition (insert|update|delete)) (columns|payload)$/, 'col'],
  [/ event_triggers order_by_key columns$/, 'col'],
  [/ foreign_key_constraint_on( columns?)?$/, 'col'],
  [/ column_mapping( \{\})?$/, 'col'],
  [/ argument_mapping$/, 'col'],
  [/ column_config \{\}$/, 'col'],
  [/ custom_column_names \{\}$/, 'col'],
  [/ field_mapping$/, 'col'],
  [/^sources tables remote_relationships definition to_source field_mapping \{\}$/, 'col'],
  [/^sources tables remote_relationships .*(lhs_fields|engine_fields)$/, 'col'],
];

/** Keys of texts that name nothing the metadata has elsewhere, or only what its sources do not own. */
const PLAIN = `
  arguments backend_configs check_message code collection collection_name comment custom_column_names custom_name data_types database
  database_url definition delete delete_by_pk description disabled_for_roles dynamic_from_file
  engine_fields extensions_schema from_env function function_aggregate functions handler health_check
  host identifier ignored_client_headers insert insert_one kind lhs_fields logical_model logical_models mapping max_export_batch_size name
  namespace native_queries opentelemetry otlp_logs_endpoint otlp_metrics_endpoint otlp_traces_endpoint
  parent_type password payload permissions prefix protocol query
  query_name query_tags remote_native_query request_transform response response_transform returns role role_name role_set roles
  root_field_name scalar
  root_fields_namespace schedule schema secrets_from_env select select_aggregate select_by_pk select_stream sql
  session_argument status stored_procedures suffix table_argument timezone traces_propagators type type_name unique_params update
  update_by_pk update_many url url_from_env username value value_from_env webhook webhook_from_env
`.split(/\s+/);

const context: ReferenceContext = {
  field: (_, name) => {
    if (name.startsWith('col_')) return { kind: 'column' };
    const target = { schema: 'public', name: 'target' };
    if (name.startsWith('rel_')) return { kind: 'relationship', target };
    return name.startsWith('cmp_') ? { kind: 'computed_field', target } : null;
  },
  referencedTable: () => undefined,
  returnedTable: () => undefined,
};

/** Random metadata whose names are of `Kind`, with the keys of texts that `NAMED` has no line for. */
function namedMetadata(random: Random, unnamed = new Set<string>()): Metadata {
  let made = 0;
  const fresh = (kind: Kind) => `${kind}_${String(++made).padStart(5, '0')}`;
  const valueAt: ValueAt = (place, isKey) => {
    const last = place.at(-1)!;
    if (!isKey && place.includes('permission') && /^(filter|check)$/.test(last)) return expression(2);
    if (!isKey && last === 'set')
      return { [fresh('col')]: random.pick<Json>([1, 'text', 'X-Engine-User-Id']) };
    const text = [...place, ...(isKey ? ['{}'] : [])].join(' ');
    const kind = NAMED.find(([pattern]) => pattern.test(text))?.[1];
    if (kind !== undefined) return fresh(kind);
    if (!isKey) unnamed.add(last);
    return undefined;
  };
  const expression = (depth: number): JsonObject =>
    Object.assign({}, ...random.list(random.between(1, 3), () => condition(depth)));
  const condition = (depth: number): JsonObject => {
    const forms: (() => JsonObject)[] = [
      () => ({ [fresh('col')]: { _eq: random.pick<Json>(['X-Engine-User-Id', 1]) } }),
      () => ({ [fresh('col')]: { [random.pick(['_ceq', '$cgt'])]: fresh('col') } }),
      () => ({ [fresh('col')]: { _cne: [fresh('col')] } }),
      () => ({ [fresh('col')]: { _clte: ['$', fresh('col')] } }),
      () => ({ [fresh('col')]: 'a text' }),
      () => ({ [fresh('cmp')]: { _eq: 1 } }),
    ];
    const nested: (() => JsonObject)[] = [
      () => ({ [fresh('rel')]: expression(depth - 1) }),
      () => ({ [fresh('cmp')]: expression(depth - 1) }),
      () => ({ [random.pick(['_and', '$or', '_or'])]: [expression(depth - 1), expression(depth - 1)] }),
      () => ({ [random.pick(['_not', '$not'])]: expression(depth - 1) }),
      () => ({ _exists: { _table: { schema: 'app', name: fresh('tab') }, _where: expression(depth - 1) } }),
      () => ({
        $exists: { $table: { name: fresh('tab'), schema: 'public' }, $where: expression(depth - 1) },
      }),
    ];
    return random.pick(depth > 0 ? [...forms, ...nested] : forms)();
  };
  const { value, diagnostics } = readMetadata(randomMetadata(random, valueAt));
  expect(diagnostics).toEqual([]);
  return value;
}

function walk(metadata: Metadata, visitor: ReferenceVisitor): Metadata {
  const codec = metadataBody as unknown as Codec<Metadata>;
  return mapNames(codec, metadata, new Walk(visitor, () => context));
}

function text(metadata: Metadata): string {
  return JSON.stringify(exportMetadata(metadata, 'store'));
}

function namesIn(json: string, kinds: string): Set<string> {
  return new Set(json.match(new RegExp(`\\b(${kinds})_\\d{5}`, 'g')));
}

test('each key of a text is known to name an object, or to name none', () => {
  const unnamed = new Set<string>();
  for (let seed = 0; seed < 100; seed += 1) namedMetadata(new Random(seed), unnamed);
  // A new key: a line of NAMED if it names a source, table, column, function or remote schema, else a word of PLAIN.
  expect([...unnamed].filter((key) => !PLAIN.includes(key)).sort()).toEqual([]);
});

test('renames are followed wherever a source, table, column or relationship is named', () => {
  // Custom types that name no source mean `default`.
  const renamed = (name: string) => (name === 'default' ? name : `${name}_new`);
  for (let seed = 0; seed < 150; seed += 1) {
    const metadata = namedMetadata(new Random(seed));
    const mapped = walk(metadata, {
      source: renamed,
      table: ({ table }) => ({ ...table, name: renamed(table.name) }),
      column: (_, column) => renamed(column),
      relationship: (_, name) => renamed(name),
    });
    const expected = text(metadata).replace(/\b(src|tab|col|rel)_\d{5}/g, '$&_new');
    expect(JSON.parse(text(mapped)), `seed ${seed}`).toEqual(JSON.parse(expected));
    expect(walk(metadata, { column: (_, column) => column }), `seed ${seed}: unchanged`).toBe(metadata);
  }
});

test('drops report every object that names what is dropped, and remove it', () => {
  for (let seed = 0; seed < 150; seed += 1) {
    const random = new Random(seed);
    const metadata = namedMetadata(random);
    const dependencies: Dependency[] = [];
    walk(metadata, {
      enter: (dependent) => ({ note: (needs) => void dependencies.push({ dependent, needs }) }),
    });
    const noted = namesIn(JSON.stringify(dependencies.map(({ needs }) => needs)), '\\w+');
    for (const name of namesIn(objects(metadata), 'src|tab|col|rel|cmp|fun|rem'))
      expect(noted, `seed ${seed}`).toContain(name);
    for (const { needs } of random.some(dependencies, 0.3)) {
      const name = nameOf(needs);
      const dependents = findDependents(dependencies, [needs]);
      const left = objects(removeDependents(metadata, dependents));
      if (needs.kind !== 'source')
        expect(left, `seed ${seed}: ${dependents.map(describeDependent)} without ${name}`).not.toContain(
          name,
        );
    }
  }
});

/** The export of the objects that can depend on others: without what tables and custom types say of themselves. */
function objects(metadata: Metadata): string {
  const sources = metadata.sources.map((source) => ({
    ...source,
    name: 'source',
    tables: source.tables.map((entry) => ({
      ...entry,
      table: { schema: 'public', name: 'table' },
      configuration: { column_config: {}, custom_root_fields: {} },
    })),
  }));
  const { custom_types } = readMetadata({ version: 3, sources: [] }).value;
  return text({ ...metadata, sources, custom_types });
}

function nameOf(needs: Needed): string {
  switch (needs.kind) {
    case 'source':
      return needs.source;
    case 'table':
      return needs.table.name;
    case 'column':
      return needs.column;
    case 'foreign_key':
      return needs.columns[0]!;
    case 'function':
      return needs.function.name;
    default:
      return needs.name;
  }
}
