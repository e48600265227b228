/** docs/metadata-api.md, made from the registry of operations; a test keeps the page equal to it. */
import type { AnyCodec, Fields } from '../../metadata/codec.ts';
import type { Policy } from '../change/policy.ts';
import type { Endpoint, Operation } from './operation.ts';
import { operations } from './registry.ts';

/** The page's text. */
export function metadataApiPage(): string {
  const sections = operations.map(
    (operation) => `## ${operation.name}

${operation.documentation}

- Endpoints: ${operation.endpoints.map((endpoint) => `\`${endpoint}\` as ${names(operation, endpoint)}`).join('; ')}
- Arguments: ${describeArguments(operation)}
- Changes are accepted: ${acceptance(operation)}${operation.anyRole === true ? '\n- Open to every role' : ''}
`,
  );
  return `# Metadata API

Every operation of the metadata, schema and legacy APIs. A request is \`{"type": …, "args": …}\`. Only the role \`admin\` may
send it, unless the operation says otherwise. \`*\` marks required arguments.

${sections.join('\n')}
## POST /v1alpha1/pg_dump

The schema, or with \`"opts": []\` also the data, of a source as SQL (\`application/sql\`), for the role \`admin\`. Arguments:
\`opts\`\\* (options of \`pg_dump\`, such as \`["-O", "-x", "--schema-only"]\`; none that say where the dump comes from or goes to),
\`clean_output\` (without comments and settings), \`source\`. It takes a \`pg_dump\` on the server's \`PATH\` that is as new as the
database; without one, the answer is 400 \`not-supported\` and says which is missing.
`;
}

function names({ name, spelling }: Operation, endpoint: Endpoint): string {
  if (endpoint !== '/v1/metadata' || spelling === 'bare') return `\`${name}\``;
  const prefixed = [`\`pg_${name}\``, `\`postgres_${name}\``];
  return (spelling === 'either' ? [`\`${name}\``, ...prefixed] : prefixed).join(', ');
}

function describeArguments({ arguments: codec, isBulk }: Operation): string {
  if (isBulk === true) return 'a list of requests';
  const fields = fieldsOf(codec);
  if (fields === undefined) return 'see above';
  const keys = Object.entries(fields).map(([key, { absent }]) => `\`${key}\`${absent ? '' : '\\*'}`);
  return keys.length === 0 ? 'none' : keys.join(', ');
}

/** The keys of an object; undefined if it may be written in several forms. */
function fieldsOf({ shape }: AnyCodec): Fields | undefined {
  if (shape.kind === 'object') return shape.fields;
  return shape.kind === 'converted' ? fieldsOf(shape.inner) : undefined;
}

const ACCEPTANCE: Readonly<Record<Policy, string>> = {
  target: 'if the object itself is consistent and no other becomes inconsistent',
  others: 'if no object becomes inconsistent',
  everything: 'if everything is consistent',
};

function acceptance({ policy, changesMetadata }: Operation): string {
  if (changesMetadata === false) return 'nothing is changed';
  return policy === undefined ? 'as described above' : ACCEPTANCE[policy];
}
