/** A key that nothing reads is named with its place, in every object of the metadata and of the arguments of operations. */

import { expect, test } from 'vitest';
import { isObject, type Json } from '../../../runtime/core/json/json.ts';
import { CANONICAL } from '../../../runtime/core/vocabulary.ts';
import { type AnyCodec, INVALID, Reading } from '../../../runtime/metadata/codec.ts';
import { metadataBody } from '../../../runtime/metadata/metadata.ts';
import { readMetadata } from '../../../runtime/metadata/read-metadata.ts';
import { operations } from '../../../runtime/metadata-api/request/registry.ts';
import { readRequest } from '../../../runtime/metadata-api/request/request.ts';
import { Random } from '../../fuzz/random.ts';
import { randomMetadata, randomValues } from './random-metadata.ts';

type Path = readonly (string | number)[];
const EXTRA = 'nobody_reads_this';
const DOCUMENTS = 40;

interface Place {
  readonly path: Path;
  /** The keys that lead there, without numbers of entries; `*` for names of records. */
  readonly kind: string;
}

/** Every place of a value where its codec reads an object with certain keys. */
function objectsIn(
  codec: AnyCodec,
  value: Json | undefined,
  path: Path = [],
  kind: readonly string[] = [],
): readonly Place[] {
  const { shape } = codec;
  if (value === undefined || value === null) return [];
  switch (shape.kind) {
    case 'object':
      return [
        { path, kind: kind.join('.') },
        ...Object.entries(shape.fields).flatMap(([key, field]) =>
          Object.hasOwn(value as Members, key)
            ? objectsIn(field, (value as Members)[key], [...path, key], [...kind, key])
            : [],
        ),
      ];
    case 'list':
      return (value as readonly Json[]).flatMap((item, index) =>
        objectsIn(shape.item, item, [...path, index], kind),
      );
    case 'record':
      return Object.entries(value).flatMap(([key, item]) =>
        objectsIn(shape.item, item, [...path, key], [...kind, '*']),
      );
    case 'optional':
    case 'converted':
      return objectsIn(shape.inner, value, path, kind);
    case 'choice': {
      const form = shape.pick(value);
      return typeof form === 'string' ? [] : objectsIn(form, value, path, kind);
    }
    default:
      return [];
  }
}
type Members = Readonly<Record<string, Json>>;

/** The value with one key more at a place. */
function withExtra(value: Json, [step, ...rest]: Path): Json {
  if (step === undefined) return { ...(value as Members), [EXTRA]: 1 };
  if (Array.isArray(value))
    return value.map((item, index) => (index === step ? withExtra(item, rest) : item));
  return Object.fromEntries(
    Object.entries(value as Members).map(([key, item]) => [key, key === step ? withExtra(item, rest) : item]),
  );
}

test('in metadata', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
    const document = randomMetadata(new Random(seed));
    for (const { path: place, kind } of objectsIn(metadataBody, document)) {
      if (seen.has(kind)) continue;
      seen.add(kind);
      const { diagnostics } = readMetadata(withExtra(document, place));
      const found = diagnostics.filter(({ path }) => path.at(-1) === EXTRA);
      expect(found, kind).toEqual([expect.objectContaining({ path: [...place, EXTRA] })]);
      expect(found[0]!.severity, kind).toBe(kind === 'sources.tables' ? 'error' : 'warning');
    }
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      '',
      'sources.configuration.connection_info.pool_settings',
      'sources.configuration.connection_info.ssl_configuration',
      'sources.customization.root_fields',
      'sources.health_check',
      'sources.tables.event_triggers.retry_conf',
      'sources.tables.event_triggers.definition.insert',
      'sources.tables.select_permissions.permission',
      'sources.tables.insert_permissions.permission.validate_input.definition',
      'remote_schemas.definition.customization.type_names',
      'remote_schemas.permissions.definition',
      'allowlist.scope',
      'rest_endpoints.definition.query',
      'cron_triggers.retry_conf',
      'api_limits.rate_limit',
      'inherited_roles',
      'network.tls_allowlist',
      'graphql_schema_introspection',
      'metrics_config',
      'opentelemetry.exporter_otlp',
    ]),
  );
});

test('in arguments of operations', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
    for (const { name, spelling, endpoints, arguments: codec, isBulk, anyRole } of operations) {
      const endpoint = endpoints.find((each) => each === '/v1/metadata');
      if (isBulk || anyRole || endpoint === undefined) continue;
      const args = valid(codec, new Random(seed));
      if (!isObject(args)) continue;
      for (const { path: place, kind: where } of objectsIn(codec, args)) {
        const kind = `${name} ${where}`;
        if (seen.has(kind)) continue;
        seen.add(kind);
        const type = spelling === 'prefixed' ? `pg_${name}` : name;
        const { unknownKeys } = readRequest(endpoint, { type, args: withExtra(args, place) }, CANONICAL);
        expect(unknownKeys, kind).toEqual([
          expect.objectContaining({ code: 'unknown-key', name: expect.stringMatching(`${EXTRA}$`) }),
        ]);
      }
    }
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'create_event_trigger retry_conf',
      'create_cron_trigger retry_conf',
      'create_scheduled_event retry_conf',
      'add_source configuration.connection_info.pool_settings',
      'create_select_permission permission',
      'create_action definition.headers',
      'add_remote_schema definition.customization',
      'set_api_limits rate_limit',
      'set_opentelemetry_config exporter_otlp',
    ]),
  );
});

/** Arguments that fit; undefined where forms exclude each other too often. */
function valid(codec: AnyCodec, random: Random): Json | undefined {
  const make = randomValues(random);
  for (let tries = 0; tries < 50; tries += 1) {
    const value = make(codec);
    const reading = new Reading(CANONICAL);
    if (codec.read(value, reading) !== INVALID && reading.findings.length === 0) return value;
  }
  return undefined;
}
