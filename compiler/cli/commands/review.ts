/** The commands that review generated code and permissions: check, audit, lint, test. */
import type { Vocabulary } from '../../../runtime/core/vocabulary.ts';
import { UsageError } from '../command.ts';
import { type CommandDeclaration, FORMATS, format, type OptionDeclaration } from './declaration.ts';
import {
  CATALOGS,
  collect,
  MIGRATION_OPTIONS,
  metadataOption,
  namingDeclarations,
  projectOptions,
} from './project-options.ts';

const PLACES = `
BASE and HEAD are folders of generated code, artefacts (of engine build), or revisions of git (main, HEAD~1), whose folder
--folder names; main:api/generated names both.`;

const FOLDER: OptionDeclaration = [
  '--folder <path>',
  'folder of the generated code within git revisions',
  { default: 'generated' },
];
const GENERATED: OptionDeclaration = [
  '--generated <place>',
  'folder of generated code, artefact or git revision',
  { default: 'generated' },
];
const SOURCE: OptionDeclaration = ['--source <name>', 'name of the source, if several have such a table'];

const auditCommands = () => import('../audit-command.ts');

/** They are declared on use: some texts have the vocabulary's word. */
export const reviewCommands = (vocabulary: Vocabulary): readonly CommandDeclaration[] => [
  {
    name: 'check',
    description:
      'report breaking changes for clients: saved operations that fail, and schema changes of each role',
    arguments: {
      '<base>': 'generated code before the change: folder, artefact or git revision',
      '<head>': 'generated code after the change',
    },
    options: [
      FOLDER,
      format('text', 'json', 'markdown'),
      [
        '--fail-on <severity>',
        'exit 1 for changes of this severity or higher',
        { choices: ['breaking', 'dangerous', 'never'], default: 'breaking' },
      ],
    ],
    help: `${PLACES}

  breaking    a request that was answered is refused now, or its answer lacks a field or has another type
  dangerous   a request is answered, but a client written before may stumble: a new value of an enum, say
  safe        new fields and types, stronger promises

Row rules and limits are not compared here: engine audit diff does that.

Exit status: 0 nothing as heavy as --fail-on, 1 otherwise, 2 wrong use.

Examples:
  engine check main generated
  engine check main generated --format markdown > comment.md
  engine check released/generated generated --fail-on dangerous`,
    run: async () => (await import('../check-command.ts')).checkCommand,
  },
  {
    name: 'audit',
    description: 'answer questions about permissions from the generated code alone',
    help: `
The generated code is read, never run. Neither metadata nor a database is needed.

Exit status: 0 answered, 2 wrong use; engine audit actions, shards and diff say more in their own help.

Examples:
  engine audit who customer.email
  engine audit who people.User.email
  engine audit role agent
  engine audit table ticket --format json
  engine audit matrix --format html > matrix.html
  engine audit isolation --by X-Engine-Tenant-Id
  engine audit shards
  engine audit actions --trusted '{{HANDLERS}}'
  engine audit diff main generated --fail-on wider`,
  },
  {
    name: 'audit who',
    description: 'list roles that can read or write a column, with every path and its row rules',
    arguments: { '<column>': 'TABLE.COLUMN or SCHEMA.TABLE.COLUMN; of a remote schema: NAME.TYPE.FIELD' },
    options: [GENERATED, SOURCE, format('text', 'json')],
    run: async () => (await auditCommands()).whoCommand,
  },
  {
    name: 'audit role',
    description: 'list everything a role may do',
    arguments: { '<role>': 'name of the role' },
    options: [GENERATED, format('text', 'json')],
    run: async () => (await auditCommands()).roleCommand,
  },
  {
    name: 'audit table',
    description: 'list what every role may do with a table',
    arguments: { '<table>': 'TABLE or SCHEMA.TABLE' },
    options: [GENERATED, SOURCE, format('text', 'json')],
    run: async () => (await auditCommands()).tableCommand,
  },
  {
    name: 'audit matrix',
    description: 'print the matrix of all roles and tables',
    options: [GENERATED, format('text', 'json', 'html')],
    run: async () => (await auditCommands()).matrixCommand,
  },
  {
    name: 'audit isolation',
    description: 'list rules, and foreign keys that roles write, that do not tie rows to a session variable',
    options: [
      ['--by <variable>', 'session variable, such as X-Engine-Tenant-Id', { required: true }],
      GENERATED,
      format('text', 'json'),
    ],
    run: async () => (await auditCommands()).isolationCommand,
  },
  {
    name: 'audit shards',
    description: 'list what a Citus cluster makes of each root field and saved operation of each role',
    options: [GENERATED, format('text', 'json')],
    help: `
  router       answered by the one shard group that a value decides, such as a tenant's
  reference    reads no distributed table
  all shards   answered by every shard; the text names the tables that no condition fixes to one value
  refused      refused with this reason, when it is compiled or asked for

Root fields are judged with all columns and nothing nested. docs/citus.md explains the verdicts.

Exit status: 0 nothing is refused, 1 otherwise, 2 wrong use.`,
    run: async () => (await auditCommands()).shardsCommand,
  },
  {
    name: 'audit live',
    description: 'list which writes a subscription is read again after: tables, columns, keys',
    arguments: { '<operation>': 'saved subscription, or a file with one' },
    options: [['--role <role>', 'only for this role'], GENERATED, format('text', 'json')],
    run: async () => (await import('../audit-live-command.ts')).auditLiveCommand,
  },
  {
    name: 'audit actions',
    description: 'list what leaves for which host when actions are called',
    options: [
      GENERATED,
      ['--trusted <host...>', 'hosts that may get credentials of clients; exit 1 if others do'],
      format('text', 'json'),
    ],
    run: async () => (await auditCommands()).actionsCommand,
  },
  {
    name: 'audit events',
    description: 'list which columns leave for which host when rows change, signed or not',
    options: [GENERATED, format('text', 'json')],
    run: async () => (await auditCommands()).eventsCommand,
  },
  {
    name: 'audit diff',
    description: 'report what each role gains and loses: operations, columns, rows',
    arguments: {
      '<base>': 'generated code before the change: folder or git revision',
      '<head>': 'generated code after the change',
    },
    options: [
      FOLDER,
      format('text', 'json', 'markdown', 'sarif'),
      [
        '--fail-on <verdict>',
        'exit 1 for changes with this verdict or a worse one',
        { choices: ['wider', 'undecidable', 'never'], default: 'undecidable' },
      ],
    ],
    help: `${PLACES}

  wider        a role may do what it could not: a column, rows, an operation
  changed meaning  what a permission leads to in the database is another, so values or rows may be others: read the migration
  undecidable  something changed, and that a role may do no more could not be proved: read it
  not wider    a rule changed, and is proved to let through no other rows; that it lets through fewer is not proved
  narrower     a role may do less, and no more: proved

Below the permissions, what a table, rule, preset or function leads to is compared: queries of views, functions, triggers, constraints,
policies, generated columns and what these use. --fail-on undecidable includes changed meaning. The report says what was not compared.

Exit status: 0 nothing that --fail-on names, 1 otherwise, 2 wrong use.

Examples:
  engine audit diff main generated
  engine audit diff main generated --format markdown --fail-on never > comment.md
  engine audit diff v1.4:api/generated api/generated --fail-on wider`,
    run: async () => (await auditCommands()).auditDiffCommand,
  },
  {
    name: 'lint',
    description: 'report permission patterns known to leak data; findings can be allowed with a reason',
    options: [
      ...projectOptions(vocabulary),
      ['--config <file>', 'lint configuration; default: engine-lint.yaml if it exists'],
      ['--session-variables <list>', 'comma-separated variables that sessions supply'],
      [
        '--public-roles <list>',
        'comma-separated roles of anonymous callers; default: public, anonymous, guest, visitor',
      ],
      format(...FORMATS),
    ],
    help: `${CATALOGS}

Rules (engine explain CODE says more about each):
  or-branch-without-session            an _or with a branch without session variables beside one with them
  rule-is-always-true                  a condition that holds for every row
  rule-is-never-true                   a condition that nothing fulfils
  row-can-be-given-away                an update that can change the columns of its own row rule
  owner-can-be-chosen                  an insert that can choose the owner of the row
  rule-without-session                 rows for every caller, where other rules tie them to the session
  reference-can-leave                  a reference that can be set to a row of another user or tenant
  deciding-table-writable              for example a table of memberships that every role may write
  preset-is-literal                    a literal where other rules compare with the session
  inherited-role-wider                 an inherited role with more than the roles it inherits from
  secret-column-granted                a column whose name is that of a secret
  view-over-function                   a view that shows what a function returns
  mutation-by-get                      a REST endpoint that runs a mutation by GET
  payload-column-unreadable            a column that an event trigger sends and no role may read
  credential-in-metadata               a header's secret value in the metadata
  remote-preset-lost                   an input of a remote schema that is preset elsewhere
  column-compared-with-itself          a comparison that holds for every row
  exists-not-correlated                an _exists that has nothing to do with the row
  aggregates-readable-by-order         aggregates that can be ordered by and not selected
  all-columns-granted                  * for writing, or for reading by a public role
  hidden-column-shown-by-view          a column that is hidden in a table and shown by a view
  hidden-column-computed-by-view       one from which the query of a view computes a visible column
  hidden-column-computed               one from which a generated column or a default is computed
  whole-row-computed-by-view           rows of a table that cannot be read, as a whole in a view
  function-security-definer            a function that runs with the rights of its owner
  webhook-is-literal                   an address of a webhook that no environment variable gives
  hidden-column-shown-by-relationship  one whose value is visible in a related row
  hidden-column-given-to-function      one that is passed to the function of a computed field
  view-without-row-rule                a view that shows rows that the row rule of its table hides
  write-wider-than-read                rows that cannot be read, but written and so returned
  variable-not-supplied                a session variable that no session has
  rule-column-without-index            a row rule that reads whole tables

engine-lint.yaml:
  public_roles: [public]
  session_variables: [X-Engine-User-Id, X-Engine-Tenant-Id]
  allow:
    - rule: or-branch-without-session
      table: article            # and role, column: each narrows the allowance
      reason: Published articles are for everybody

Exit status: 0 nothing found, 1 something, or errors in the metadata, 2 wrong use.

Examples:
  engine lint --metadata metadata --migrations migrations
  engine lint --metadata metadata --catalog catalog.json --format sarif > lint.sarif`,
    run: async () => (await import('../lint-command.ts')).lintCommand,
  },
  {
    name: 'test',
    description:
      'test permissions on an embedded PostgreSQL: declared cases, and isolation of every row rule',
    options: [
      metadataOption(),
      ['--migrations <folder>', 'SQL migrations to apply to the embedded PostgreSQL; their rows are used'],
      [
        '--catalog <file>',
        'without migrations: saved catalog, after which empty tables with its keys are made',
      ],
      ...MIGRATION_OPTIONS,
      ['--cases <path>', 'YAML file of cases, or a folder of them'],
      [
        '--seed <file>',
        'SQL file with rows for the tests; SOURCE=FILE if there are several sources; repeatable',
        { parse: collect },
      ],
      ['--no-isolation', 'run declared cases only'],
      [
        '--base <version>',
        'run the isolation checks of this version, too: a git revision, REVISION:PATH, or a path of metadata',
      ],
      [
        '--mutations',
        'mutation testing: weaken every permission in the metadata, and count the mutants that the tests notice',
      ],
      [
        '--suggest <file>',
        'write declared cases that notice most of the other mutants to this file (- prints them); implies --mutations',
      ],
      ['--minimum-score <percent>', 'fail below this percentage of noticed mutants', { parse: percent }],
      ['--allow-inconsistent', 'do not fail because of inconsistent objects, which are left out'],
      ['--junit <file>', 'write the results to this file as JUnit XML'],
      ...namingDeclarations(vocabulary),
    ],
    help: `
A case:
  - name: A customer sees own tickets only
    role: customer
    session: { X-Engine-User-Id: 4 }
    query: "{ ticket(order_by: {id: asc}) { id } }"
    expect: { data: { ticket: [{ id: 7 }, { id: 9 }] } }    # or { rows: 2 }, or { error: permission-error }
It may have variables, "given" (SQL that runs before it) and "trusted: true". All writes of a case are undone. Instead of query and
expect, "types: { ticket: [id, subject], ticket_aggregate: null }" names the fields that the role is offered.

Isolation: every rule with session variables (rows to read, update and delete; checks of inserts and updates) is tried by
requests of sessions with values that occur in the compared columns. It fails when the rows do not depend on a variable, and when
a session that lacks one, has an empty one or one that is in no row reaches more than it may. Where no two sessions differ, rows
are made for the rule; a check that is still inconclusive is reported as unproven, not as a failure. A rule that loses a session variable loses
the checks about it: --base runs those of an earlier version on the present one, and fails if one that passed no longer does.

Mutations: each mutant is the metadata with one permission weakened, compiled and tested as if it had been committed.

What is inconsistent, such as a remote schema whose address is in a variable that is not set, is listed and left out; the rest is tested.

After a saved catalog, views are empty tables, there are no functions, triggers and checks, and a default is some value of the type.

Exit status: 0 nothing failed, 1 a check failed, the score is too low, or the metadata has errors, 2 wrong use.

Examples:
  engine test --metadata metadata --migrations migrations --cases tests
  engine test --metadata metadata --catalog catalog.json --cases tests
  engine test --metadata metadata --migrations migrations --cases tests --base main
  engine test --metadata metadata --migrations migrations --mutations --junit results.xml`,
    run: async () => (await import('../test-command.ts')).testCommand,
  },
];

/** @throws UsageError */
function percent(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 100)
    throw new UsageError('--minimum-score is a whole number from 0 to 100.');
  return value;
}
