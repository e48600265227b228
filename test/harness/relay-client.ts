/**
 * Relay's compiler and runtime, of a folder that `npm run pretest:slow` installs: an application compiled against the schema
 * that the server reports, with a store of its own.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';

const folder = fileURLToPath(new URL('../real-relay-client/', import.meta.url));

/** Whether Relay is installed. */
export const relayPresent = ['relay-compiler', 'relay-runtime'].every((name) =>
  existsSync(`${folder}node_modules/${name}`),
);

type Variables = Readonly<Record<string, unknown>>;

/** A record of the store as a fragment reads it. */
// biome-ignore lint/suspicious/noExplicitAny: data of any form
type Data = any;

/** What the compiler writes about an operation or a fragment. */
interface Compiled {
  readonly kind: string;
}

interface Operation {
  readonly fragment: object;
}

interface Environment {
  lookup(selector: object): { readonly data: Data };
  retain(operation: Operation): unknown;
}

type Path = readonly (string | number)[];

interface Pagination {
  readonly connectionPathInFragmentData: Path;
  readonly paginationRequest: Compiled;
  readonly paginationMetadata: object;
}

interface Refetch {
  readonly fragmentRefPathInResponse: Path;
  readonly identifierInfo?: { identifierField: string; identifierQueryVariableName: string } | null;
  readonly refetchableRequest: Compiled;
}

interface Runtime {
  readonly Environment: new (options: object) => Environment;
  readonly Network: { create(send: (request: { text: string }, variables: Variables) => unknown): object };
  readonly RecordSource: new () => object;
  readonly Store: new (records: object) => object;
  readonly createOperationDescriptor: (request: Compiled, variables: Variables) => Operation;
  readonly fetchQuery: (
    environment: Environment,
    request: Compiled,
    variables: Variables,
    options?: object,
  ) => { toPromise(): Promise<Data> };
  readonly commitMutation: (environment: Environment, options: object) => unknown;
  readonly getSingularSelector: (fragment: Compiled, reference: object) => object & { variables: Variables };
  readonly getPaginationMetadata: (fragment: Compiled, hook: string) => Pagination;
  readonly getRefetchMetadata: (fragment: Compiled, hook: string) => Refetch;
  readonly getPaginationVariables: (
    direction: string,
    count: number,
    cursor: string,
    base: Variables,
    extra: Variables,
    metadata: object,
  ) => Record<string, unknown>;
  readonly getValueAtPath: (data: Data, path: Path) => Data;
}

/** Sends a request to the server. @returns the body of its answer */
type SendRelay = (request: { readonly query: string; readonly variables?: Variables }) => Promise<Data>;

/** The schema that the server reports, as text. */
async function schemaText(send: SendRelay): Promise<string> {
  const { data }: { data: IntrospectionQuery } = await send({ query: getIntrospectionQuery() });
  return printSchema(buildClientSchema(data));
}

/**
 * Compiles documents. Their names start with `app`, the name of the module.
 * @param into an empty folder
 * @returns opens an application of them with an empty store
 * @throws what the compiler prints
 */
export async function compileRelay(into: string, documents: readonly string[], send: SendRelay) {
  writeFileSync(join(into, 'schema.graphql'), await schemaText(send));
  const modules = documents.map((document) => `graphql\`${document}\`;\n`).join('');
  for (const name of ['src', 'compiled']) mkdirSync(join(into, name));
  writeFileSync(join(into, 'src/app.js'), `import { graphql } from 'relay-runtime';\n${modules}`);
  const configuration = {
    src: 'src',
    schema: 'schema.graphql',
    language: 'javascript',
    artifactDirectory: 'compiled',
    eagerEsModules: false,
  };
  writeFileSync(join(into, 'relay.config.json'), JSON.stringify(configuration));
  const compiler = `${folder}node_modules/relay-compiler/cli.js`;
  execFileSync(process.execPath, [compiler, '--noWatchman', 'relay.config.json'], {
    cwd: into,
    stdio: 'pipe',
  });
  const load = createRequire(`${into}/`);
  return () => openRelay((name) => load(`./compiled/${name}.graphql.js`) as Compiled, send);
}

/** An application that does what the hooks of React Relay do. */
function openRelay(compiled: (name: string) => Compiled, send: SendRelay) {
  const runtime = createRequire(folder)('relay-runtime') as Runtime;
  /** Variables as they were sent, the last of them at the end. */
  const sent: Variables[] = [];
  const environment = new runtime.Environment({
    network: runtime.Network.create(({ text }, variables) => {
      sent.push(variables);
      return send({ query: text, variables });
    }),
    store: new runtime.Store(new runtime.RecordSource()),
  });
  const read = (fragment: string, reference: object): Data =>
    environment.lookup(runtime.getSingularSelector(compiled(fragment), reference)).data;

  async function fetch(request: Compiled, variables: Variables): Promise<Data> {
    const operation = runtime.createOperationDescriptor(request, variables);
    environment.retain(operation);
    await runtime
      .fetchQuery(environment, request, variables, { networkCacheConfig: { force: true } })
      .toPromise();
    return environment.lookup(operation.fragment).data;
  }

  /** Sends a query. @returns its data, with references to fragments */
  const query = (name: string, variables: Variables = {}) => fetch(compiled(name), variables);

  /** Variables of a fragment in place, and those that name the object that it is of. */
  function variablesOf(fragment: string, reference: object) {
    const pages = runtime.getRefetchMetadata(compiled(fragment), 'a test');
    const { identifierInfo } = pages;
    const { variables } = runtime.getSingularSelector(compiled(fragment), reference);
    const id = identifierInfo && {
      [identifierInfo.identifierQueryVariableName]: read(fragment, reference)[identifierInfo.identifierField],
    };
    return { pages, variables, id: id ?? {} };
  }

  /** Gets another page of the connection of a fragment, as `loadNext` and `loadPrevious` of `usePaginationFragment` do. */
  async function load(direction: 'forward' | 'backward', count: number, fragment: string, reference: object) {
    const { connectionPathInFragmentData, paginationRequest, paginationMetadata } =
      runtime.getPaginationMetadata(compiled(fragment), 'a test');
    const { pageInfo } = runtime.getValueAtPath(read(fragment, reference), connectionPathInFragmentData);
    const cursor = direction === 'forward' ? pageInfo.endCursor : pageInfo.startCursor;
    const { variables, id } = variablesOf(fragment, reference);
    const next = runtime.getPaginationVariables(direction, count, cursor, variables, {}, paginationMetadata);
    await fetch(paginationRequest, { ...next, ...id });
  }

  /** Gets a fragment again with other variables, as `refetch` of `useRefetchableFragment` does. @returns the new reference */
  async function refetch(fragment: string, reference: object, changed: Variables = {}): Promise<Data> {
    const { pages, variables, id } = variablesOf(fragment, reference);
    const data = await fetch(pages.refetchableRequest, { ...variables, ...changed, ...id });
    return runtime.getValueAtPath(data, pages.fragmentRefPathInResponse);
  }

  /** Sends a mutation. @returns its data @throws errors of the answer */
  const mutate = (name: string, variables: Variables): Promise<Data> =>
    new Promise((resolve, reject) => {
      runtime.commitMutation(environment, {
        mutation: compiled(name),
        variables,
        onError: reject,
        onCompleted: (data: Data, errors: readonly object[] | null) =>
          errors ? reject(new Error(JSON.stringify(errors))) : resolve(data),
      });
    });

  return { query, read, load, refetch, mutate, sent: sent as readonly Variables[] };
}

export type RelayApplication = ReturnType<typeof openRelay>;
