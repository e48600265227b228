/** Values of headers that may be shown: everything else in a header may be a credential. */
const SHOWN: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'retry-after',
  'server',
  'traceparent',
  'transfer-encoding',
  'user-agent',
]);

/** The same data with the values of headers hidden. Headers from the environment have only the names of their variables. */
export function masked<Value>(value: Value): Value {
  return mask(value) as Value;
}

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    /^header(s|_conf)$/.test(key) && Array.isArray(item) ? item.map(maskHeader) : mask(item),
  ]);
  return Object.fromEntries(entries);
}

function maskHeader(header: unknown): unknown {
  const { name, value, ...rest } = header as { readonly name?: unknown; readonly value?: unknown };
  if (typeof name !== 'string' || value === undefined || SHOWN.has(name.toLowerCase())) return header;
  return { name, value: '(hidden)', ...rest };
}
