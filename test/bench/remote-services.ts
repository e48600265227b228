/** The GraphQL servers of the benchmark of remote schemas: what they offer, and their data. */

const USERS_OF_A_PAGE = 20;
const POSTS_OF_A_USER = 5;

interface Service {
  /** As a remote schema. */
  readonly sdl: string;
  readonly root: Readonly<Record<string, unknown>>;
  /** Additions for gateways that join by federation. */
  readonly federation?: Federation;
}

interface Federation {
  readonly schema: string;
  readonly root: Readonly<Record<string, unknown>>;
}

const USERS = `type Query {
  users(page: Int!): [User!]!
}

type User {
  id: ID!
  name: String!
  email: String!
}
`;

const POSTS = `type Query {
  postsOf(author: ID!): [Post!]!
  label(key: ID!): String!
}

type Post {
  id: ID!
  title: String!
  words: Int!
}
`;

interface Representation {
  readonly id: string;
}

interface Post {
  readonly id: string;
  readonly title: string;
  readonly words: number;
}

function postsOf({ author }: { readonly author: string }): Post[] {
  return Array.from({ length: POSTS_OF_A_USER }, (_, n) => ({
    id: `${author}-${n}`,
    title: `Post ${n} of the user ${author}`,
    words: n,
  }));
}

function federated(schema: string, sdl: string, entity: (of: Representation) => object): Federation {
  const own = 'scalar _Any union _Entity = User type _Service { sdl: String! }';
  return {
    schema: `${schema} ${own} extend type Query { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }`,
    root: {
      _service: { sdl: sdl.replace('type Query', 'extend type Query') },
      _entities: ({ representations }: { readonly representations: readonly Representation[] }) =>
        representations.map((each) => ({ __typename: 'User', ...entity(each) })),
    },
  };
}

const slow = (name: string): Service => ({
  sdl: `type Query {\n  ${name}(key: ID): String!\n}\n`,
  root: { [name]: 'done' },
});

const user = (id: number) => ({
  id: String(id),
  name: `User number ${id}`,
  email: `user.${id}@example.com`,
});

export const services = {
  users: {
    sdl: USERS,
    root: {
      users: ({ page }: { readonly page: number }) =>
        Array.from({ length: USERS_OF_A_PAGE }, (_, n) => user(page * USERS_OF_A_PAGE + n)),
    },
    federation: federated('', USERS.replace('type User', 'type User @key(fields: "id")'), ({ id }) =>
      user(Number(id)),
    ),
  },
  posts: {
    sdl: POSTS,
    root: { postsOf, label: ({ key }: { readonly key: string }) => `label of ${key}` },
    federation: federated(
      'type User { id: ID! posts: [Post!]! }',
      `${POSTS}\nextend type User @key(fields: "id") { id: ID! @external posts: [Post!]! }`,
      ({ id }) => ({ id, posts: postsOf({ author: id }) }),
    ),
  },
  slow50: slow('slow50'),
  slow80: slow('slow80'),
  slow120: slow('slow120'),
} satisfies Readonly<Record<string, Service>> as Readonly<Record<ServiceName, Service>>;

export type ServiceName = 'users' | 'posts' | 'slow50' | 'slow80' | 'slow120';

/** The users and their posts as the supergraph that a federating gateway is started with. */
export function supergraph(addresses: { readonly users: string; readonly posts: string }): string {
  return `schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
directive @join__enumValue(graph: join__Graph!) repeatable on ENUM_VALUE
directive @join__field(graph: join__Graph, requires: join__FieldSet, provides: join__FieldSet, type: String, external: Boolean, override: String, usedOverridden: Boolean) repeatable on FIELD_DEFINITION | INPUT_FIELD_DEFINITION
directive @join__graph(name: String!, url: String!) on ENUM_VALUE
directive @join__implements(graph: join__Graph!, interface: String!) repeatable on OBJECT | INTERFACE
directive @join__type(graph: join__Graph!, key: join__FieldSet, extension: Boolean! = false, resolvable: Boolean! = true, isInterfaceObject: Boolean! = false) repeatable on OBJECT | INTERFACE | UNION | ENUM | INPUT_OBJECT | SCALAR
directive @join__unionMember(graph: join__Graph!, member: String!) repeatable on UNION
directive @link(url: String, as: String, for: link__Purpose, import: [link__Import]) repeatable on SCHEMA
scalar join__FieldSet
scalar link__Import
enum link__Purpose { SECURITY EXECUTION }
enum join__Graph {
  USERS @join__graph(name: "users", url: "${addresses.users}")
  POSTS @join__graph(name: "posts", url: "${addresses.posts}")
}
type Query @join__type(graph: USERS) @join__type(graph: POSTS) {
  users(page: Int!): [User!]! @join__field(graph: USERS)
  postsOf(author: ID!): [Post!]! @join__field(graph: POSTS)
}
type User @join__type(graph: USERS, key: "id") @join__type(graph: POSTS, key: "id") {
  id: ID!
  name: String! @join__field(graph: USERS)
  email: String! @join__field(graph: USERS)
  posts: [Post!]! @join__field(graph: POSTS)
}
type Post @join__type(graph: POSTS) {
  id: ID!
  title: String!
  words: Int!
}`;
}
