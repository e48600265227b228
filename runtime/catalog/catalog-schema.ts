/** Schema of a saved catalog (catalog.ts). Unknown keys are refused, because they would have no effect. */
import { z } from 'zod';
import type { CatalogFile } from './catalog.ts';

/** For facts that are either stated or absent. */
const stated = z.literal(true).exactOptional();
const text = z.string();
const count = z.int().nonnegative();
const comment = text.exactOptional();

const relation = { schema: text, name: text };
const typeReference = z.strictObject({ schema: text, name: text, array: stated });

const typeHead = { schema: text, name: text, oid: count, comment, ownEquality: stated };
const type = z.discriminatedUnion('kind', [
  z.strictObject({ ...typeHead, kind: z.enum(['base', 'range', 'multirange', 'pseudo']) }),
  z.strictObject({ ...typeHead, kind: z.literal('domain'), base: typeReference, notNull: stated }),
  z.strictObject({ ...typeHead, kind: z.literal('enum'), values: z.array(text) }),
  z.strictObject({
    ...typeHead,
    kind: z.literal('composite'),
    fields: z.array(z.strictObject({ name: text, type: typeReference })),
    relation: stated,
  }),
]);

const named = <Value extends z.ZodType>(value: Value) => z.record(text, value).exactOptional();
const below = z
  .strictObject({
    reads: named(z.array(text)),
    calls: named(text),
    unread: named(text),
    shows: text.exactOptional(),
  })
  .exactOptional();

const column = z.strictObject({
  name: text,
  position: count,
  type: typeReference,
  notNull: stated,
  promised: stated,
  nullBelow: stated,
  hasDefault: stated,
  identity: z.enum(['always', 'by default']).exactOptional(),
  generated: z.enum(['stored', 'virtual']).exactOptional(),
  nondeterministic: stated,
  comment,
  origin: z.strictObject({ ...relation, column: text }).exactOptional(),
  below,
  updatable: z.boolean().exactOptional(),
});

const key = z.strictObject({
  name: text,
  columns: z.array(text),
  oid: count,
  deferrable: stated,
  invalid: stated,
  otherEquality: stated,
  temporal: stated,
});

const foreignKeyAction = z.enum(['cascade', 'set null', 'set default']);

const table = z.strictObject({
  ...relation,
  oid: count,
  kind: z.enum(['table', 'partitioned', 'view', 'materialized', 'foreign']),
  comment,
  partitionOf: z.strictObject(relation).exactOptional(),
  inherits: stated,
  hasChildren: stated,
  ancestors: z.array(z.strictObject(relation)).exactOptional(),
  columns: z.array(column),
  primaryKey: key.exactOptional(),
  uniqueConstraints: z.array(key),
  uniqueIndexes: z.array(key),
  indexes: z.array(
    z.strictObject({
      name: text,
      method: text,
      columns: z.array(text.nullable()),
      unique: stated,
      partial: stated,
      inference: text.exactOptional(),
    }),
  ),
  foreignKeys: z.array(
    z.strictObject({
      name: text,
      oid: count,
      columns: z.array(text),
      references: z.strictObject({ ...relation, columns: z.array(text) }),
      onDelete: foreignKeyAction.exactOptional(),
      onUpdate: foreignKeyAction.exactOptional(),
      deferrable: stated,
      unvalidated: stated,
      disabled: stated,
    }),
  ),
  reads: z.array(z.strictObject({ ...relation, columns: z.array(text) })).exactOptional(),
  ordered: stated,
  definition: text.exactOptional(),
  calls: z.record(text, text).exactOptional(),
  below,
  triggers: z.record(text, text).exactOptional(),
  checks: z.array(z.strictObject({ name: text, definition: text })),
  sideEffects: stated,
  insertable: z.boolean(),
  updatable: z.boolean(),
  deletable: z.boolean(),
});

const databaseFunction = z.strictObject({
  ...relation,
  oid: count,
  volatility: z.enum(['immutable', 'stable', 'volatile']),
  strict: stated,
  comment,
  arguments: z.array(
    z.strictObject({ name: text.nullable(), type: typeReference, hasDefault: stated, variadic: stated }),
  ),
  returns: typeReference,
  returnsSet: stated,
  language: text,
  definition: text.exactOptional(),
  definer: stated,
  below,
  writes: named(z.array(text)),
});

const tableDistribution = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('distributed'),
    by: text.exactOptional(),
    group: count,
    generated: stated,
    unwritable: text.exactOptional(),
  }),
  z.strictObject({ kind: z.literal('reference'), unwritable: text.exactOptional() }),
  z.strictObject({ kind: z.literal('single'), group: count, unwritable: text.exactOptional() }),
  z.strictObject({ kind: z.literal('refused'), why: text }),
]);

const source = z.strictObject({
  serverVersion: count,
  extensions: z.array(z.strictObject({ name: text, schema: text, version: text })),
  types: z.array(type),
  tables: z.array(table),
  functions: z.array(databaseFunction),
  refused: z
    .record(text, z.strictObject({ reason: text, inCode: z.literal(true).exactOptional() }))
    .exactOptional(),
  objects: z
    .record(
      text,
      z.strictObject({
        facts: z.record(text, text),
        uses: z.array(text).exactOptional(),
        writes: z.array(text).exactOptional(),
      }),
    )
    .exactOptional(),
  withoutBelow: stated,
  product: text.exactOptional(),
  distribution: z
    .strictObject({
      tables: z.record(text, tableDistribution),
      functions: z.record(text, z.strictObject({ why: text, alone: stated })).exactOptional(),
      fingerprint: z.string({
        error: 'this catalog is of an earlier version: read it again with engine introspect',
      }),
    })
    .exactOptional(),
  enumTables: z.record(text, z.array(z.strictObject({ value: text, comment: text.nullable() }))),
});

export const catalogFileSchema: z.ZodType<Omit<CatalogFile, 'version'> & { readonly version: 2 | 3 }> =
  z.strictObject({
    // Version 1 did not tell what proofs by a constraint need (proven.ts), version 2 not what audits do (below.ts).
    version: z.literal([2, 3], { error: 'this version of Engine reads versions 2 and 3' }),
    sources: z.record(text, source),
  });
