/** What `engine dev` prints. */

import {
  type GraphQLObjectType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { sessionVariables } from '../../runtime/console/detail.ts';
import { rolesOf } from '../../runtime/console/matrix.ts';
import type { Program } from '../../runtime/core/program/program.ts';
import { graphqlSchema } from '../../runtime/core/schema/graphql-schema.ts';
import type { Vocabulary } from '../../runtime/core/vocabulary.ts';
import type { GraphiqlRole } from '../../runtime/http/graphiql.ts';
import type { ProjectProblem, ProjectReport } from '../../runtime/metadata-api/thread/project.ts';

/** Columns of a query to begin with. */
const COLUMNS = 4;

export interface Terminal {
  readonly say: (text: string) => void;
  /** Prints what is new of a report, and what is mended. */
  readonly report: (report: ProjectReport, milliseconds: number) => void;
  /** Prints a line of the server's log. */
  readonly log: (line: string) => void;
}

export function openTerminal(write: (text: string) => void): Terminal {
  let shown = new Map<string, ProjectProblem>();
  const say = (text: string) => write(`${text}\n`);
  return {
    say,
    report: ({ isServed, problems }, milliseconds) => {
      const now = new Map(problems.map((problem) => [`${problem.head}\n${problem.text}`, problem]));
      for (const [key, { head, text }] of now) if (!shown.has(key)) say(`\n${head}\n${text}`);
      const mended = [...shown].filter(([key]) => !now.has(key)).map(([, { head }]) => head);
      const heads = new Set([...now.values()].map(({ head }) => head));
      for (const head of mended) if (!heads.has(head)) say(`mended: ${head}`);
      shown = now;
      const outcome = isServed
        ? `served after ${Math.round(milliseconds)} ms`
        : 'not served; what was served stays';
      say(`${new Date().toTimeString().slice(0, 8)}  ${[outcome, ...counts(problems)].join(', ')}`);
    },
    log: (line) => {
      const { level, type, detail } = JSON.parse(line) as {
        level: string;
        type: string;
        detail: { message?: string; error?: { message?: string } };
      };
      const message = detail.message ?? detail.error?.message;
      say(`${level}: ${message ?? `${type} ${JSON.stringify(detail)}`}`);
    },
  };
}

function counts(problems: readonly ProjectProblem[]): string[] {
  return (['error', 'warning'] as const).flatMap((severity) => {
    const number = problems.filter((problem) => problem.severity === severity).length;
    return number === 0 ? [] : [`${number} ${severity}${number === 1 ? '' : 's'}`];
  });
}

/** The administrator and every role, each with a query to begin with. */
export function rolesToTry(program: Program): GraphiqlRole[] {
  const admin = { name: 'admin', description: 'Everything that is tracked', headers: {} };
  const others = rolesOf(program).filter((role) => role !== 'admin');
  return [
    { ...admin, query: firstQuery(program, 'admin') },
    ...others.map((role) => ({
      name: role,
      description: `What the role ${role} may do`,
      headers: {
        'x-engine-role': role,
        ...Object.fromEntries(sessionVariables(program, role).map((name) => [name.toLowerCase(), '1'])),
      },
      query: firstQuery(program, role),
    })),
  ];
}

/** A query of the first table that the role may read, with some of its columns; `__typename` if it may read none. */
function firstQuery(program: Program, role: string): string {
  const schema = graphqlSchema(program.roleSchema(role, false));
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const type = getNullableType(field.type);
    const row = isListType(type) ? getNullableType(type.ofType) : undefined;
    if (!isObjectType(row) || field.args.some(isRequiredArgument)) continue;
    const columns = leaves(row);
    if (columns.length === 0) continue;
    const limit = field.args.some(({ name }) => name === 'limit') ? '(limit: 3)' : '';
    return `{ ${field.name}${limit} { ${columns.join(' ')} } }`;
  }
  return '{ __typename }';
}

function leaves(type: GraphQLObjectType): string[] {
  return Object.values(type.getFields())
    .filter((field) => isLeafType(getNullableType(field.type)) && !field.args.some(isRequiredArgument))
    .slice(0, COLUMNS)
    .map(({ name }) => name);
}

/** The request as a command line. */
export function curl(
  url: string,
  { headers, query }: Pick<GraphiqlRole, 'headers' | 'query'>,
  vocabulary: Vocabulary,
): string {
  const folded = query.replaceAll(/#.*\n/g, '').replaceAll(/\s+/g, ' ').trim();
  const given = Object.entries(vocabulary.session(headers)).map(([name, value]) => `-H '${name}: ${value}' `);
  return `  curl ${url}/v1/graphql ${given.join('')}\\\n    -H 'content-type: application/json' -d '${JSON.stringify({ query: folded }).replaceAll("'", "'\\''")}'`;
}
