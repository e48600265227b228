/** Every check of `add_remote_schema_permissions`, with the exact text of the error. */

import { expect, test } from 'vitest';
import { permissionProblems } from '../../../../compiler/phases/3-resolve/remote-permission.ts';
import { readRemoteDocument } from '../../../../runtime/core/remotes/document.ts';
import { CANONICAL } from '../../../../runtime/core/vocabulary.ts';

const UPSTREAM = readRemoteDocument(`
  directive @d(b: Int) on OBJECT | FIELD_DEFINITION | ARGUMENT_DEFINITION
  schema { query: Query mutation: Mutation }
  type Query {
    user(user_id: Int!, x: String = "a", f: F, ids: [Int!]): User
    compare(by: IntCompareObj, many: [IntCompareObj]): Int
    status(of: Status): Status
    one: U
    noted: Note
    level(at: Int! = 3): Int
  }
  type Mutation { save(text: String!): User }
  interface Communication { msg: String }
  interface Note { at: Int }
  type User implements Communication { user_id: Int name: String! msg: String }
  type Photo { w: Int }
  type Person { name: String }
  union U = User | Photo
  enum Status { SENT READ }
  input F { a: Int! b: String = "z" }
  input IntCompareObj { eq: Int gt: Int of: Status }
`);

const base = 'type User { user_id: Int }';
const QUERY = 'type Query { noted: Note } interface Note { at: Int }';

test.each([
  // Types differ.
  [
    'type Query { user(user_id: Int!): User } type User { user_id: Int! }',
    ['expected type of "user_id"("Object field") to be Int but received Int!'],
  ],
  [
    `${QUERY.replace('at: Int', 'at: Int!')}`,
    ['expected type of "at"("Interface field") to be Int but received Int!'],
  ],
  [
    `type Query { user(user_id: Int): User } ${base}`,
    ['expected type of "user_id"("Input object argument") to be Int! but received Int'],
  ],
  // No such type.
  [`${QUERY} type X { a: Int }`, ['"Object": "X" does not exist in the upstream remote schema']],
  [`${QUERY} enum X { A }`, ['"Enum": "X" does not exist in the upstream remote schema']],
  [`${QUERY} input X { a: Int }`, ['"Input object": "X" does not exist in the upstream remote schema']],
  [`${QUERY} interface X { a: Int }`, ['"Interface": "X" does not exist in the upstream remote schema']],
  [
    `${QUERY} union X = Photo type Photo { w: Int }`,
    ['"Union": "X" does not exist in the upstream remote schema'],
  ],
  [`${QUERY} scalar X`, ['"Scalar": "X" does not exist in the upstream remote schema']],
  [`${QUERY} type Photo @x { w: Int }`, ['"Directive": "x" does not exist in the upstream remote schema']],
  // No such field.
  [
    `${QUERY} ${base.replace('user_id', 'created_at')}`,
    ['field "created_at" does not exist in the "Object": "User"'],
  ],
  [
    'type Query { noted: Note } interface Note { b: Int }',
    ['field "b" does not exist in the "Interface": "Note"'],
  ],
  // Inputs.
  [
    `type Query { user(user_id: Int!, x: String): User } ${base}`,
    ['expected default value of input value: "x"of input object "user" to be "a" but received '],
  ],
  [
    `${QUERY} input F { a: Int! b: String }`,
    ['expected default value of input value: "b"of input object "F" to be "z" but received '],
  ],
  [`${QUERY} input F { a: Int! c: Int }`, ['input argument "c" does not exist in the input object:"F"']],
  [
    `type Query { user: User } ${base}`,
    ['field: "user" expects the following non nullable arguments to be present: "user_id"'],
  ],
  [
    'type Query { level: Int }',
    ['field: "level" expects the following non nullable arguments to be present: "at"'],
  ],
  // Directives.
  [
    `${QUERY} type Photo @d(a: 1) { w: Int }`,
    [
      'the following directive argument(s) defined in the directive: "d" defined with the type name: "Photo" of type "Object" do not exist in the corresponding upstream directive: "a"',
    ],
  ],
  [`${QUERY} type Photo @d @d { w: Int }`, ['duplicate directives: "d"found in the "Object" "Photo"']],
  // Unions, interfaces, enums.
  [
    `${QUERY} union U = User | Person ${base} type Person { name: String }`,
    ['union "U" contains members which do not exist in the members of the remote schema union :"Person"'],
  ],
  [
    `${QUERY} interface FullName { name: String } type Person implements FullName { name: String }`,
    [
      '"Interface": "FullName" does not exist in the upstream remote schema',
      'custom interfaces are not supported. Object"Person" implements the following custom interfaces: "FullName"',
    ],
  ],
  [
    `${QUERY} type Person implements I { name: String }`,
    [
      'object "Person" is trying to implement the following interfaces that do not exist in the corresponding upstream remote object: "I"',
    ],
  ],
  [
    'type Query { status(of: Status): Status } enum Status { SENT IDLE }',
    [
      'enum "Status" contains the following enum values that do not exist in the corresponding upstream remote enum: "IDLE"',
    ],
  ],
  // Schema blocks and duplicates.
  [`schema { query: Query } schema { query: Query } ${QUERY}`, ['multiple schema definitions found']],
  [`${QUERY} type Photo { w: Int } type Photo { w: Int }`, ['duplicate type names found: "Photo"']],
  [`${QUERY} type Photo { w: Int w: Int }`, ['duplicate fields: "w"found in the "Object" "Photo"']],
  [
    `type Query { user(user_id: Int!, user_id: Int!): User } ${base}`,
    ['duplicate arguments: "user_id"found in the field: "user"'],
  ],
  [
    'type Query { status(of: Status): Status } enum Status { SENT SENT }',
    ['duplicate enum values: "SENT" found in the "Status" enum'],
  ],
  // Presets.
  [
    `type Query @preset(value: 1) { noted: Note } interface Note { at: Int }`,
    ['Preset directives can be defined only on INPUT_FIELD_DEFINITION or ARGUMENT_DEFINITION'],
  ],
  [
    `type Query { user(user_id: Int! @preset(value: 1) @preset(value: 2)): User } ${base}`,
    ['found multiple preset directives at "Input object argument" "user_id"'],
  ],
  [
    `type Query { user(user_id: Int! @preset): User } ${base}`,
    ['no arguments found in the preset directive'],
  ],
  [
    `type Query { user(user_id: Int! @preset(static: true)): User } ${base}`,
    ['preset argument "value" not found at "user_id"'],
  ],
  [
    'type Query { status(of: Status @preset(value: IDLE)): Status } enum Status { SENT }',
    ['"IDLE" not found in the enum: "Status"'],
  ],
  [
    'type Query { compare(by: IntCompareObj @preset(value: 2)): Int } input IntCompareObj { eq: Int }',
    ['expected preset value "2" of type "IntCompareObj" to be an input object value'],
  ],
  [
    'type Query { status(of: Status @preset(value: 2)): Status } enum Status { SENT }',
    ['expected preset value "2" of type "Status" to be an enum value'],
  ],
  [
    `type Query { user(user_id: Int! @preset(value: {a: 1})): User } ${base}`,
    ['expected preset value "{a: 1}" of type "Int" to be a scalar value'],
  ],
  [
    'type Query { compare(by: IntCompareObj @preset(value: {lte: 2})): Int } input IntCompareObj { eq: Int }',
    ['"lte" does not exist in the input object "IntCompareObj"'],
  ],
  [
    `type Query { user(user_id: Int!, ids: [Int!] @preset(value: "x-engine-ids")): User } ${base}`,
    ['illegal preset value at "ids". Session arguments can only be set for singleton values'],
  ],
  [
    `type Query { user(user_id: Int! @preset(value: 1, static: 1)): User } ${base}`,
    ['expected preset static value to be a Boolean value'],
  ],
  // A list of problems is in the order of the document.
  ['schema { query: Nothing }', ['"Nothing" has to be an object type']],
  ['type Photo { w: Int }', ['"Query" has to be an object type']],
])('%s', (sdl, expected) => {
  expect(permissionProblems(sdl, UPSTREAM, CANONICAL)).toEqual(expected);
});

test.each([
  `${QUERY} type Mutation { save(text: String!): User } ${base}`,
  `type Query { user(user_id: Int! @preset(value: "x-engine-user-id"), x: String = "a" @preset(value: "X-Engine-Name", static: true)): User } ${base}`,
  'type Query { status(of: Status @preset(value: "SENT", static: true)): Status } enum Status { SENT }',
  'type Query { compare(many: [IntCompareObj] @preset(value: [{eq: 1}, {of: READ}])): Int } input IntCompareObj { eq: Int of: Status } enum Status { READ }',
  'type Query { level(at: Int! = 3): Int }',
  'type Mutation { save(text: String!): User } type User { msg: String }',
])('accepted: %s', (sdl) => {
  expect(permissionProblems(sdl, UPSTREAM, CANONICAL)).toEqual([]);
});
