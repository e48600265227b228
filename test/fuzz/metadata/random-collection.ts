/** Random operations on collections of queries, the allow-list and REST endpoints. */
import type { Random } from '../random.ts';
import type { RandomRequest } from './random-operation.ts';

const COLLECTIONS = ['saved', 'other'];
const QUERIES = ['one', 'two', 'three'];
const TEXTS = [
  'query { author { id name } }',
  'query ($id: Int!) { article(where: { id: { _eq: $id } }) { title author { name } } }',
  'query { tag { id label } article_aggregate { aggregate { count } } }',
  'mutation { delete_article(where: {}) { affected_rows } }',
  'subscription { author { id } }',
  'query { nothing }',
  'query {',
];

/** The next request about a saved query. */
export function randomCollection(random: Random): RandomRequest['body'] {
  const [name, query_name, query] = [random.pick(COLLECTIONS), random.pick(QUERIES), random.pick(TEXTS)];
  const query_of = { collection_name: name, query_name };
  const scope = random.chance(0.5)
    ? { global: true }
    : { global: false, roles: random.some(['user', 'editor'], 0.7) };
  const endpoint = random.pick(['first', 'second']);
  return random.pick<RandomRequest['body']>([
    {
      type: 'create_query_collection',
      args: { name, definition: { queries: [{ name: query_name, query }] } },
    },
    { type: 'create_query_collection', args: { name, definition: { queries: [] } } },
    { type: 'add_query_to_collection', args: { ...query_of, query } },
    { type: 'add_query_to_collection', args: { ...query_of, query } },
    { type: 'drop_query_from_collection', args: query_of },
    { type: 'drop_query_collection', args: { collection: name, cascade: random.chance(0.5) } },
    { type: 'rename_query_collection', args: { name, new_name: random.pick(COLLECTIONS) } },
    { type: 'add_collection_to_allowlist', args: { collection: name, scope } },
    { type: 'update_scope_of_collection_in_allowlist', args: { collection: name, scope } },
    { type: 'drop_collection_from_allowlist', args: { collection: name } },
    {
      type: 'create_rest_endpoint',
      args: {
        name: endpoint,
        url: random.pick(['items/:id', 'items/all', 'other', 'a//b']),
        methods: random.pick([['GET'], ['GET', 'POST']]),
        definition: { query: query_of },
      },
    },
    { type: 'drop_rest_endpoint', args: { name: endpoint } },
  ]);
}
