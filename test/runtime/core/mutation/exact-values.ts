/** Values of every kind of type that are easily lost on a way through text or JSON, as literals of SQL. */
import type { Random } from '../../../fuzz/random.ts';

/** What the types below need. */
export const TYPES_SQL = `
  create extension citext; create extension hstore; create extension ltree; create extension cube;
  create extension isn; create extension seg; create extension intarray;
  create type mood as enum ('sad', 'it''s ok', 'NULL', '"q"', 'a,b');
  create domain posint as int check (value > 0);
  create domain label as text collate "C";
  create domain json_or_null as jsonb;
  create domain cells as int[];
  create type pair as (label text, doc jsonb, f float8, cells int[], code char(4));
  create domain sound_pair as pair check ((value).label is distinct from 'bad');
  create type nest as (p pair, many pair[], at timestamptz, span tstzrange);
  create type floats as range (subtype = float8);
`;

interface ExactType {
  readonly sql: string;
  readonly values: readonly string[];
  /** First major version that has the type. */
  readonly since?: number;
  /** It has no binary form: its text is compared. */
  readonly text?: true;
}

const TEXTS = [
  '',
  ' ',
  'NULL',
  'null',
  '{}',
  '{"a"}',
  '(,)',
  '"',
  '\\',
  "it's",
  'a,b',
  'é\u{1f600}',
  'line\nline',
  '\t',
  '[0:1]={1,2}',
];
const FLOATS = [
  '-0',
  '0.1',
  '0.30000000000000004',
  '1e-320',
  '1.7976931348623157e308',
  'NaN',
  'Infinity',
  '-Infinity',
];
const FLOATS4 = ['-0', '0.1', '1.1754944e-38', '3.4028235e38', '16777216', 'NaN', '-Infinity'];
const TIMES = [
  'infinity',
  '-infinity',
  '0044-03-15 12:00:00 BC',
  '2024-02-29 23:59:59.999999',
  '294276-12-31 23:59:59',
];
const JSONS = [
  'null',
  '"null"',
  '{}',
  '[]',
  '[null]',
  '{"a": null}',
  '1.10',
  '-0',
  '1e400',
  '"\\u00e9\\\\\\""',
  'true',
  '{"b":1,"a":{"c":[]}}',
];
const PAIRS = [
  '(,,,,)',
  '(a,null,-0,"[0:1]={1,NULL}",x)',
  '("","""null""",NaN,{},"a  ")',
  '("NULL","{""a"": null}",0.30000000000000004,"{{1,2},{3,4}}",)',
];

const scalars: readonly ExactType[] = [
  { sql: 'bool', values: ['t', 'f'] },
  { sql: 'int2', values: ['-32768', '0'] },
  { sql: 'int8', values: ['9007199254740993', '-9223372036854775808'] },
  {
    sql: 'numeric',
    values: ['1.0', '1', '0.000', '-0', '123456789012345678901234567890.10', 'NaN', '1e-30'],
  },
  { sql: 'numeric(12,4)', values: ['1', '-1.5', 'NaN'] },
  { sql: 'float8', values: FLOATS },
  { sql: 'float4', values: FLOATS4 },
  { sql: 'money', values: ['-0.01', '92233720368547758.07', '$1,000.50'] },
  { sql: 'text', values: TEXTS },
  { sql: 'varchar(20)', values: TEXTS },
  { sql: 'char(6)', values: ['', 'a', 'a b ', ' b'] },
  { sql: '"char"', values: ['', 'a', ' ', '"'] },
  { sql: 'name', values: ['', 'A b'] },
  { sql: 'citext', values: TEXTS },
  { sql: 'bytea', values: ['', '\\x00ff5c27', '\\x6161'] },
  { sql: 'bit(5)', values: ['01010', '00000'] },
  { sql: 'varbit', values: ['', '1', '0001000'] },
  { sql: 'date', values: ['infinity', '-infinity', '0044-03-15 BC', '2024-02-03', '5874897-12-31'] },
  { sql: 'timestamp', values: TIMES },
  {
    sql: 'timestamptz',
    values: [
      ...TIMES.slice(0, 4),
      '1890-01-01 00:00:00+00',
      '2024-11-03 05:30:00+00',
      '2024-11-03 06:30:00+00',
    ],
  },
  { sql: 'timestamptz(2)', values: ['2024-02-03 04:05:06.789'] },
  { sql: 'time', values: ['24:00:00', '00:00:00.000001'] },
  { sql: 'timetz', values: ['24:00:00+15:59', '01:02:03.456-00:30', '01:02:03+00:00:07'] },
  {
    sql: 'interval',
    values: [
      '0',
      '-1 mon +2 days -00:00:00.5',
      '1 year -1 day',
      '-1 year -2 days -3:04:05.000006',
      '36 hours',
      '30 days',
      '1 mon',
      '-00:00:00.000001',
      '+1 day -1 hour',
    ],
  },
  { sql: 'uuid', values: ['00000000-0000-4000-8000-00000000000a'] },
  { sql: 'json', values: [...JSONS, '{"a":1, "a":2}', ' [ 1 ] ', '"\\u0000"'] },
  { sql: 'jsonb', values: JSONS },
  { sql: 'jsonpath', values: ['$', 'strict $.a ? (@ > 1)'] },
  { sql: 'xml', values: ['<a/>', '<a>"x" &amp; y</a>', 'text &lt; only', '<a/><b/>'] },
  { sql: 'inet', values: ['10.0.0.1', '10.0.0.1/8', '::1'] },
  { sql: 'cidr', values: ['10.0.0.0/8'] },
  { sql: 'macaddr8', values: ['08:00:2b:01:02:03:04:05'] },
  { sql: 'point', values: ['(-0,0.1)', '(NaN,Infinity)'] },
  { sql: 'box', values: ['(1,2),(-0,0.30000000000000004)'] },
  { sql: 'path', values: ['[(0,0),(1,0.1)]', '((0,0),(1,0.1))'] },
  { sql: 'circle', values: ['<(0.1,0),2.5>'] },
  { sql: 'line', values: ['{1,-1,0.1}'] },
  { sql: 'tsvector', values: ['', "'a':1A,2 'it''s':3 'a b'"] },
  { sql: 'tsquery', values: ["'a' & !'b':*A | 'c d'"] },
  { sql: 'int4range', values: ['empty', '(,)', '[1,5)'] },
  { sql: 'numrange', values: ['[1.0,1.00]', '(,2.50]', 'empty'] },
  { sql: 'tstzrange', values: ['[2024-11-03 05:30:00+00,infinity)', '(-infinity,)'] },
  { sql: 'daterange', values: ['[2024-02-03,)', 'empty'] },
  { sql: 'floats', values: ['[-0,0.30000000000000004)', '(,Infinity]'] },
  { sql: 'int4multirange', values: ['{}', '{[1,3),[7,9)}'], since: 14 },
  { sql: 'tstzmultirange', values: ['{[2024-11-03 05:30:00+00,infinity)}'], since: 14 },
  { sql: 'oid', values: ['4294967295', '0'] },
  { sql: 'regclass', values: ['pg_class', '"pg_catalog"."pg_type"', '12345678'] },
  { sql: 'regtype', values: ['integer', 'timestamptz[]'] },
  { sql: 'tid', values: ['(4294967295,65535)'] },
  { sql: 'xid', values: ['4294967295'] },
  { sql: 'pg_lsn', values: ['FFFFFFFF/FFFFFFFF'] },
  { sql: 'txid_snapshot', values: ['10:20:10,14,15'] },
  { sql: 'aclitem', values: ['=r/postgres'], text: true },
  { sql: 'hstore', values: ['', '"a"=>NULL, "b"=>"NULL", ""=>"\\""'] },
  { sql: 'ltree', values: ['', 'a.b_c.d'] },
  { sql: 'cube', values: ['(0.1,0.30000000000000004),(1,2)', '(-0)'], text: true },
  { sql: 'isbn', values: ['0-393-04002-X'], text: true },
  { sql: 'seg', values: ['1.0 .. 2.50', '<1', '~3'], text: true },
  { sql: 'query_int', values: ['1&(2|!3)'], text: true },
  { sql: 'mood', values: ['sad', "it's ok", 'NULL', '"q"', 'a,b'] },
  { sql: 'posint', values: ['1'] },
  { sql: 'label', values: TEXTS },
  { sql: 'json_or_null', values: JSONS },
  { sql: 'cells', values: ['{}', '[-1:0]={1,NULL}', '{{1},{2}}'] },
  { sql: 'pair', values: PAIRS },
  { sql: 'sound_pair', values: PAIRS },
  {
    sql: 'nest',
    values: ['(,,,)', '("(,null,-0,,)","[5:6]={""(a,null,,,)"",NULL}",infinity,"[,)")'],
  },
];

export interface ExactColumn {
  readonly name: string;
  readonly sql: string;
  readonly text: boolean;
  /** A literal or a constructor of an array; casts are part of it. */
  readonly random: (random: Random) => string;
}

/** A column of each type, and one of arrays of it. */
export function exactColumns(version: number): readonly ExactColumn[] {
  return scalars
    .filter(({ since = 0 }) => since <= version)
    .flatMap(({ sql, values, text = false }, index) => {
      const item = (random: Random) =>
        random.chance(0.15) ? 'null' : `${quoted(random.pick(values))}::${sql}`;
      const array = (random: Random) => {
        if (random.chance(0.15)) return 'null';
        if (random.chance(0.1)) return `'{}'::${sql}[]`;
        const items = (length: number) => random.list(length, () => item(random)).join(', ');
        if (random.chance(0.2)) return `array[[${items(2)}], [${items(2)}]]::${sql}[]`;
        const list = `array[${items(3)}]::${sql}[]`;
        if (random.chance(0.5)) return list;
        return `array_cat(array_fill(${item(random)}::${sql}, array[1], array[-3]), ${list})`;
      };
      const name = `c${index}`;
      return [
        { name, sql, text, random: item },
        { name: `${name}s`, sql: `${sql}[]`, text, random: array },
      ];
    });
}

function quoted(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
