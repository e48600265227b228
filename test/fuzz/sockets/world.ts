/** What the server serves: a table with columns of many types, a saved operation, and peers that answer anything. */
export const ADMIN_SECRET = 'secret-of-the-fuzzed-server';

export const worldSql = `
  create table note (
    id int primary key, body text not null default '', n numeric, tags text[], doc jsonb, at timestamptz, uid uuid,
    parent int references note
  );
  insert into note select i, 'note ' || i, i, array['a'], jsonb_build_object('a', i), now() from generate_series(1, 20) i;
  create table job (n int);
  create function search_note(q text) returns setof note language sql stable as
    'select * from note where body like q order by id';
`;

/** @param peer address of the handler, the webhook and the remote schema */
export function worldMetadata(peer: string): object {
  const role = 'anonymous';
  const columns = ['id', 'body', 'n', 'tags', 'doc', 'at', 'uid', 'parent'];
  const rows = { id: { _lt: 1000 } };
  const line = [
    { name: 'n', type: 'Int!' },
    { name: 'more', type: '[Line!]' },
  ];
  const action = (name: string, kind: 'query' | 'asynchronous' | 'mutation', more: object = {}) => ({
    name,
    definition: {
      ...(kind === 'query' ? { type: 'query' } : { kind: kind === 'mutation' ? 'synchronous' : kind }),
      handler: `${peer}/action`,
      arguments: [
        { name: 'n', type: 'Int!' },
        { name: 'x', type: 'jsonb' },
      ],
      output_type: 'Done',
      timeout: 5,
      ...more,
    },
    permissions: [{ role }],
  });
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'ENGINE_GRAPHQL_DATABASE_URL' } } },
        tables: [
          {
            table: 'note',
            object_relationships: [{ name: 'up', using: { foreign_key_constraint_on: 'parent' } }],
            array_relationships: [
              { name: 'children', using: { foreign_key_constraint_on: { table: 'note', column: 'parent' } } },
            ],
            select_permissions: [{ role, permission: { columns, filter: {}, allow_aggregations: true } }],
            insert_permissions: [{ role, permission: { columns, check: rows } }],
            update_permissions: [{ role, permission: { columns, filter: rows, check: rows } }],
          },
          {
            table: 'job',
            select_permissions: [{ role, permission: { columns: ['n'], filter: {} } }],
            insert_permissions: [
              {
                role,
                permission: {
                  columns: ['n'],
                  check: {},
                  validate_input: { type: 'http', definition: { url: `${peer}/validate`, timeout: 5 } },
                },
              },
            ],
            event_triggers: [
              {
                name: 'job_made',
                definition: { enable_manual: false, insert: { columns: '*' } },
                webhook: `${peer}/event`,
                retry_conf: { num_retries: 0, interval_sec: 1, timeout_sec: 5 },
              },
            ],
          },
        ],
        functions: [{ function: 'search_note' }],
      },
    ],
    actions: [
      action('act', 'query'),
      action('change', 'mutation'),
      action('later', 'asynchronous'),
      action('lines', 'query', { arguments: [{ name: 'lines', type: '[Line!]!' }] }),
      action('shaped', 'query', {
        request_transform: {
          version: 2,
          template_engine: 'Kriti',
          url: '{{$base_url}}?x={{$body.input?["x"]}}',
          body: {
            action: 'transform',
            template:
              '{"n": {{$body.input.n}}, "x": "{{$body.input?["x"]}}", "s": {{$session_variables?["x-engine-role"]}}}',
          },
          request_headers: { add_headers: { 'x-text': '{{$body.input?["x"]}}' } },
        },
        response_transform: {
          version: 2,
          template_engine: 'Kriti',
          body: {
            action: 'transform',
            template: '{"id": {{$body?["id"]}}, "text": "{{$body?["text"]}}", "doc": {{$body}}}',
          },
        },
      }),
    ],
    custom_types: {
      input_objects: [{ name: 'Line', fields: line }],
      objects: [
        {
          name: 'Done',
          fields: [
            { name: 'id', type: 'Int' },
            { name: 'text', type: 'String' },
            { name: 'doc', type: 'jsonb' },
          ],
          relationships: [
            {
              name: 'note',
              type: 'object',
              source: 'default',
              remote_table: 'note',
              field_mapping: { id: 'id' },
            },
          ],
        },
      ],
    },
    remote_schemas: [
      {
        name: 'peer',
        definition: { url: `${peer}/graphql`, timeout_seconds: 5 },
        permissions: [{ role, definition: { schema: REMOTE_SDL } }],
      },
    ],
    query_collections: [
      {
        name: 'saved',
        definition: {
          queries: [
            {
              name: 'note',
              query:
                'query note($id: Int!, $a: String, $b: jsonb) { note(where: {id: {_eq: $id}, body: {_neq: $a}, _not: {doc: {_eq: $b}}}) { id } }',
            },
            { name: 'notes', query: 'query notes($a: Int) { note(limit: $a) { id } }' },
          ],
        },
      },
    ],
    rest_endpoints: [
      ['note/:id', 'note'],
      ['note', 'notes'],
    ].map(([url, name]) => ({
      url,
      name,
      methods: ['GET', 'POST', 'PUT'],
      definition: { query: { collection_name: 'saved', query_name: name } },
    })),
  };
}

export const REMOTE_SDL = `
  input Lined { n: Int! more: [Lined!] }
  type Query { greet(n: Int!): Person lined(lines: [Lined!]!): Int }
  type Person { name: String! n: Int more: [Person!] }
`;
