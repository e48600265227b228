/** Values of the metadata: literals, and references to session variables (`sessionVariable` says which strings those are). */

import type { ColumnShape } from '../../../runtime/core/contract/shapes.ts';
import { messages } from '../../../runtime/core/diagnostics/catalogue.ts';
import { EngineError } from '../../../runtime/core/errors.ts';
import { quotedName } from '../../../runtime/core/names.ts';
import { momentOf } from '../../../runtime/core/sql/moments.ts';
import { type ColumnType, encodeValue } from '../../../runtime/core/types.ts';
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import type { Json, MetadataPath } from '../../../runtime/metadata/metadata.ts';
import { sessionVariable } from '../../../runtime/metadata/values.ts';
import type { Value } from '../../model/model.ts';
import { literalMisfit, quotedList } from './literal.ts';
import { Failure } from './report.ts';
import type { AccessScope } from './scope.ts';

/** A literal or a session variable for a value of the type. @throws Failure if a literal does not fit */
export function resolveValue(
  type: ColumnType,
  json: Json,
  vocabulary: Vocabulary,
  path: MetadataPath,
): Value {
  const name = sessionVariable(json, vocabulary);
  if (name !== undefined) return { kind: 'session', name };
  if (typeof json === 'string' && vocabulary.isForeign(json))
    throw new Failure(messages.sessionVariableForeign({ name: json, prefix: vocabulary.prefix }), path);
  let encoded: string | null;
  try {
    encoded = encodeValue(type, json);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw new Failure(messages.literalMisfit({ reason: error.message }), path);
  }
  const reason = literalMisfit(type, json);
  if (reason !== undefined) throw new Failure(messages.literalMisfit({ reason }), path);
  const moment = encoded === null ? undefined : momentOf(type, encoded);
  return { kind: 'literal', value: json, ...(moment && { moment }) };
}

/** @throws Failure if a literal for a column is not a value of its enum table */
export function requireEnumValues(
  { tables, vocabulary }: AccessScope,
  { enumTable }: ColumnShape,
  literals: readonly Json[],
  path: MetadataPath,
): void {
  const table = enumTable === undefined ? undefined : tables.get(enumTable);
  if (table?.enumValues === undefined) return;
  for (const literal of literals) {
    if (typeof literal !== 'string' || sessionVariable(literal, vocabulary) !== undefined) continue;
    if (Object.hasOwn(table.enumValues, literal)) continue;
    const known = quotedList(Object.keys(table.enumValues));
    const reason = `expected one of the values ${known} of the enum table ${quotedName(table.catalog)}, but found "${literal}"`;
    throw new Failure(messages.literalMisfit({ reason }), path);
  }
}
