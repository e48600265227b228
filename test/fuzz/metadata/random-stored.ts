/** Random operations on what is stored and checked, but not served; and settings, which are. */
import type { Json, JsonObject } from '../../../runtime/metadata/metadata.ts';
import type { Random } from '../random.ts';

interface Body extends JsonObject {
  readonly type: string;
  readonly args: Json;
}

const TYPES = ['Pair', 'Answer', 'Input', 'Mood', 'Nothing', 'Int', '[Pair!]!', 'uuid', '[Int'];
const ROLES = ['user', 'editor', 'visitor'];

/** The next request about something that is stored. */
export function randomStored(random: Random): Body {
  return random.pick([customTypes, actions, actions, remoteSchemas, remoteTypes, cronTriggers, settings])(
    random,
  );
}

function customTypes(random: Random): Body {
  const fields = () =>
    random.list(random.between(0, 3), () => ({
      name: random.pick(['a', 'b', 'c']),
      type: random.pick(TYPES),
    }));
  const relationship = () => ({
    name: 'author',
    type: random.pick(['object', 'array']),
    remote_table: random.pick(['author', 'tag', 'nothing']),
    field_mapping: { [random.pick(['a', 'b'])]: random.pick(['id', 'no_column']) },
  });
  const args = {
    objects: [
      {
        name: 'Pair',
        fields: [{ name: random.chance(0.9) ? 'a' : '__a', type: 'Int' }, ...fields()],
        ...(random.chance(0.3) && { relationships: [relationship()] }),
      },
      ...(random.chance(0.4)
        ? [{ name: random.pick(['Answer', 'Answer', 'author', 'uuid']), fields: fields() }]
        : []),
    ],
    input_objects: random.chance(0.5) ? [{ name: 'Input', fields: [{ name: 'x', type: 'String' }] }] : [],
    enums: random.chance(0.4) ? [{ name: 'Mood', values: [{ value: random.pick(['good', 'a b']) }] }] : [],
  };
  return { type: 'set_custom_types', args };
}

function actions(random: Random): Body {
  const name = random.pick(['ask', 'tell', 'ask', 'tell', 'author_stream', 'author_updates']);
  const definition = {
    handler: 'http://hook',
    output_type: random.pick(TYPES),
    ...(random.chance(0.3) && { kind: 'asynchronous' }),
    arguments: random.chance(0.5) ? [{ name: 'x', type: random.pick(TYPES) }] : [],
  };
  const role = random.pick(ROLES);
  return random.pick<Body>([
    { type: 'create_action', args: { name, definition } },
    { type: 'create_action', args: { name, definition: { handler: 'http://hook', output_type: 'Pair' } } },
    { type: 'update_action', args: { name, definition } },
    { type: 'drop_action', args: { name } },
    { type: 'create_action_permission', args: { action: name, role } },
    { type: 'drop_action_permission', args: { action: name, role } },
  ]);
}

function remoteSchemas(random: Random): Body {
  const name = random.pick(['weather', 'news']);
  const definition = random.pick<JsonObject>([
    { url: 'http://remote' },
    { url: 'http://remote', url_from_env: 'REMOTE' },
    {},
    { url: 5 },
  ]);
  return random.pick<Body>([
    { type: 'add_remote_schema', args: { name, definition } },
    { type: 'add_remote_schema', args: { name, definition: { url: 'http://remote' } } },
    { type: 'update_remote_schema', args: { name, definition } },
    { type: 'remove_remote_schema', args: { name } },
    {
      type: 'create_remote_relationship',
      args: {
        table: 'author',
        name: random.pick(['climate', 'id']),
        remote_schema: name,
        engine_fields: [random.pick(['id', 'no_column'])],
        remote_field: { at: { arguments: { place: random.pick(['$id', '$name', 'x']) } } },
      },
    },
  ]);
}

function remoteTypes(random: Random): Body {
  const args = { remote_schema: random.pick(['weather', 'news']), type_name: 'City', name: 'author' };
  const definition = {
    to_source: {
      source: 'default',
      table: random.pick(['author', 'nothing']),
      relationship_type: 'object',
      field_mapping: { id: 'id' },
    },
  };
  const verb = random.pick(['create', 'update', 'delete']);
  return {
    type: `${verb}_remote_schema_remote_relationship`,
    args: verb === 'delete' ? args : { ...args, definition },
  };
}

function cronTriggers(random: Random): Body {
  const name = random.pick(['daily', 'hourly']);
  const args = {
    name,
    webhook: 'http://hook',
    schedule: random.pick(['0 0 * * *', '*/5 * * * mon-fri', 'never', '61 * * * *']),
    include_in_metadata: random.chance(0.7),
    replace: random.chance(0.3),
  };
  return random.pick<Body>([
    { type: 'create_cron_trigger', args },
    { type: 'delete_cron_trigger', args: { name } },
    { type: 'get_cron_triggers', args: {} },
    { type: 'get_scheduled_events', args: { type: 'cron' } },
  ]);
}

function settings(random: Random): Body {
  return random.pick<Body>([
    { type: 'set_api_limits', args: { depth_limit: { global: random.between(3, 9), per_role: {} } } },
    { type: 'remove_api_limits', args: {} },
    {
      type: 'set_graphql_schema_introspection_options',
      args: { disabled_for_roles: random.some(ROLES, 0.3) },
    },
    { type: 'set_metrics_config', args: { analyze_query_variables: true, analyze_response_body: false } },
    { type: 'remove_metrics_config', args: {} },
    { type: 'no_such_operation', args: {} },
  ]);
}
