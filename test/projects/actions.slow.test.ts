/** The actions of the real projects: each is called with the operations of the projects' own clients, or with all of its fields. */
import {
  buildClientSchema,
  execute,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  type IntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  print,
  typeFromAST,
} from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { answering, Handler } from '../harness/handler.ts';
import { clientOperations, loadProject, projectsPresent, readProjectFile } from '../harness/real-project.ts';
import { send, serve, type TestServer } from '../harness/server.ts';

interface ProjectMetadata {
  readonly sources: readonly {
    readonly name: string;
    readonly configuration: { readonly connection_info: object };
  }[];
  readonly actions: readonly {
    readonly name: string;
    readonly definition: { readonly handler: string };
    readonly permissions?: readonly { readonly role: string }[];
  }[];
  readonly custom_types: {
    readonly objects: readonly {
      readonly name: string;
      readonly fields: readonly { readonly name: string }[];
    }[];
  };
}

const SECRET = 'secret-of-the-handlers';
const ADMIN = 'admin-secret-of-projects';

/** Actions, and operations of clients that call one. The files of realworld have no client program. */
const PROJECTS = {
  realworld: { actions: 3, operations: 0 },
  carnet: { actions: 9, operations: 9 },
  intuition: { actions: 3, operations: 1 },
  aerie: { actions: 23, operations: 14 },
} as const;

const handler = new Handler();
let server: TestServer | undefined;
let schema: GraphQLSchema;
let metadata: ProjectMetadata;

beforeAll(() => handler.listen());
afterAll(() => handler.close());
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function open(name: string): Promise<void> {
  const urls = await loadProject(name);
  // Handlers elsewhere are replaced by the one here.
  const text = readProjectFile(name, 'metadata.json').replaceAll(
    '"https://api.pinata.cloud',
    `"${handler.url}`,
  );
  metadata = JSON.parse(text) as ProjectMetadata;
  const variables = [...text.matchAll(/"handler": ?"\{\{(\w+)\}\}/g)].map(([, variable]) => [
    variable!,
    handler.url,
  ]);
  const secrets = ['ACTIONS_SECRET', 'ACTION_SECRET', 'PINATA_AUTH'].map((variable) => [variable, SECRET]);
  const sources = metadata.sources.map((source) => ({
    ...source,
    configuration: {
      ...source.configuration,
      connection_info: { ...source.configuration.connection_info, database_url: urls.get(source.name)! },
    },
  }));
  // What else the project calls is not served here.
  const { actions, custom_types } = metadata;
  server = await serve({
    metadata: { version: 3, sources: sources.map(withoutEvents), actions, custom_types },
    options: { ADMIN_SECRET: ADMIN, DISABLE_EVENTING: 'true' },
    variables: Object.fromEntries([...variables, ...secrets]),
  });
  const { data } = await ask(getIntrospectionQuery());
  schema = buildClientSchema(data as unknown as IntrospectionQuery);
}

function withoutEvents(source: object): object {
  const { tables = [] } = source as { readonly tables?: readonly object[] };
  return {
    ...source,
    tables: tables.map((table) => {
      const { event_triggers: _, remote_relationships: __, ...rest } = table as Record<string, unknown>;
      return rest;
    }),
  };
}

interface Answered {
  readonly data?: Readonly<Record<string, unknown>>;
  readonly errors?: readonly { readonly message: string }[];
}

async function ask(query: string, variables: object = {}, role = 'admin'): Promise<Answered> {
  const { json } = await send(server!, '/v1/graphql', {
    headers: { 'x-engine-admin-secret': ADMIN, 'x-engine-role': role, 'x-engine-user-id': '1' },
    body: { query, variables },
  });
  return json as Answered;
}

const SAMPLES: Readonly<Record<string, unknown>> = {
  String: 'a',
  ID: 'a',
  Int: 1,
  Float: 1.5,
  Boolean: true,
  uuid: '00000000-0000-4000-8000-000000000001',
  timestamptz: '2024-01-01T00:00:00Z',
  date: '2024-01-01',
};

function sampleInput(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return sampleInput(type.ofType);
  if (isListType(type)) return [sampleInput(type.ofType)];
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return Object.fromEntries(fields.map((field) => [field.name, sampleInput(field.type)]));
  }
  if (isEnumType(type)) return type.getValues()[0]!.name;
  return SAMPLES[type.name] ?? { any: [1, 'x'] };
}

/** What a handler may answer: every field that is its own. */
function sampleOutput(type: GraphQLOutputType, path: readonly string[] = []): unknown {
  if (isNonNullType(type)) return sampleOutput(type.ofType, path);
  if (isListType(type)) return [sampleOutput(type.ofType, path), sampleOutput(type.ofType, path)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (!isObjectType(type)) return SAMPLES[type.toString()] ?? { any: [1, 'x'] };
  if (path.includes(type.name)) return null;
  return Object.fromEntries(
    ownFields(type.name).map((name) => [
      name,
      sampleOutput(type.getFields()[name]!.type, [...path, type.name]),
    ]),
  );
}

function ownFields(type: string): readonly string[] {
  return metadata.custom_types.objects.find(({ name }) => name === type)!.fields.map(({ name }) => name);
}

function rootField(name: string): {
  readonly kind: 'query' | 'mutation';
  readonly field: GraphQLField<unknown, unknown>;
} {
  const query = schema.getQueryType()!.getFields()[name];
  const field = query ?? schema.getMutationType()!.getFields()[name]!;
  return { kind: query ? 'query' : 'mutation', field };
}

/** Asks for everything that the handler answers. */
function wholeOperation(name: string): { readonly query: string; readonly variables: object } {
  const { kind, field } = rootField(name);
  const selection = (type: GraphQLOutputType, path: readonly string[]): string => {
    const named = getNamedType(type);
    if (isLeafType(named)) return '';
    const fields = ownFields(named.name).flatMap((each) => {
      const inner = isObjectType(named) ? named.getFields()[each]!.type : undefined;
      const below = inner ? getNamedType(inner) : undefined;
      if (!inner || !below || path.includes(below.name)) return [];
      return [`${each}${selection(inner, [...path, named.name])}`];
    });
    return ` { ${fields.join(' ')} }`;
  };
  const declared = field.args.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const given = field.args.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const call = `${name}${given ? `(${given})` : ''}${selection(field.type, [])}`;
  const variables = Object.fromEntries(
    field.args.map((argument) => [argument.name, sampleInput(argument.type)]),
  );
  return { query: `${kind}${declared ? `(${declared})` : ''} { ${call} }`, variables };
}

/** The operations of clients that call actions and nothing else. */
function actionOperations(name: keyof typeof PROJECTS) {
  const actions = new Set(metadata.actions.map((action) => action.name));
  return (PROJECTS[name].operations === 0 ? [] : clientOperations(name)).flatMap(({ file, text }) => {
    const document = parse(text);
    return document.definitions.flatMap((definition) => {
      if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
      const fields = definition.selectionSet.selections.flatMap((each) =>
        each.kind === Kind.FIELD ? [each.name.value] : [],
      );
      if (!fields.every((field) => actions.has(field))) return [];
      const others = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
      const variables = Object.fromEntries(
        (definition.variableDefinitions ?? []).map(({ variable, type }) => [
          variable.name.value,
          sampleInput(typeFromAST(schema, type as never) as GraphQLInputType),
        ]),
      );
      const query = print({ ...document, definitions: [definition, ...others] });
      return [{ file, query, variables, fields }];
    });
  });
}

describe.skipIf(!projectsPresent)('actions of real projects', () => {
  test.each(Object.keys(PROJECTS) as (keyof typeof PROJECTS)[])(
    '%s',
    async (name) => {
      const expected = PROJECTS[name];
      await open(name);
      const pins = name === 'intuition';
      const answers = Object.fromEntries(
        metadata.actions.map((action) => [
          action.name,
          pins ? { uri: 'ipfs://Qm"1' } : sampleOutput(rootField(action.name).field.type),
        ]),
      );
      handler.answer = (call, response) => {
        const { action } = (call.json ?? {}) as { readonly action?: { readonly name: string } };
        answering(pins ? { IpfsHash: 'Qm"1' } : answers[action!.name])(call, response);
      };
      const check = async (query: string, variables: object, fields: readonly string[], role = 'admin') => {
        handler.calls = [];
        const answer = await ask(query, variables, role);
        const correct = await execute({
          schema,
          document: parse(query),
          rootValue: answers,
          variableValues: variables as Record<string, unknown>,
        });
        expect(correct.errors, query).toBeUndefined();
        expect(answer, query).toEqual({ data: JSON.parse(JSON.stringify(correct.data)) });
        expect(handler.calls).toHaveLength(fields.length);
        const headers = Object.values(handler.calls[0]!.headers);
        expect(name === 'aerie' || headers.includes(SECRET)).toBe(true);
      };

      expect(metadata.actions).toHaveLength(expected.actions);
      for (const action of metadata.actions) {
        const { query, variables } = wholeOperation(action.name);
        await check(query, variables, [action.name]);
        const [permitted] = action.permissions ?? [];
        if (permitted) await check(query, variables, [action.name], permitted.role);
        const refused = await ask(query, variables, 'no_role_of_the_project');
        expect(refused.errors).toHaveLength(1);
      }
      const operations = actionOperations(name);
      expect(operations.map(({ file }) => file)).toHaveLength(expected.operations);
      for (const { query, variables, fields } of operations) await check(query, variables, fields);
    },
    180_000,
  );

  test('transforms of intuition send what its service wants', async () => {
    await open('intuition');
    handler.calls = [];
    handler.answer = answering({ IpfsHash: 'Qm' });
    const [operation] = actionOperations('intuition');
    await ask(operation!.query, operation!.variables);
    expect(handler.calls[0]!.url).toBe('/pinning/pinJSONToIPFS');
    expect(handler.calls[0]!.json).toEqual({
      pinataOptions: { cidVersion: 1 },
      pinataContent: {
        '@context': 'https://schema.org',
        '@type': 'Thing',
        name: 'a',
        description: 'a',
        image: 'a',
        url: 'a',
      },
    });
  }, 180_000);

  test('relationships of realworld show the rows that the caller may see', async () => {
    await open('realworld');
    const { status, text } = await send(server!, '/v2/query', {
      headers: { 'x-engine-admin-secret': ADMIN },
      body: {
        type: 'run_sql',
        args: {
          sql: `insert into users (id, username, email, password_hash) values (7, 'u', 'e', 'h');
            insert into articles (id, author_id, title, about, content) values (5, 7, 't', 'a', 'c')`,
        },
      },
    });
    expect(status, text).toBe(200);
    handler.answer = answering({ article_id: 5 });
    expect(
      await ask('mutation { unlike_article(article_id: 1) { article { id title } } }', {}, 'user'),
    ).toEqual({
      data: { unlike_article: { article: { id: 5, title: 't' } } },
    });
  }, 180_000);
});
