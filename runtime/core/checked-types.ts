/**
 * Types that read the literals of generated files: which names a table has, what its rules may say, and the rows that it
 * holds. A misspelt name in a file is an error of `tsc` because of these types, and of the loader because of declared.ts.
 */
import type { AccessRules, DeleteRule, InsertRule, SelectRule, UpdateRule } from './shapes.ts';

interface Columns {
  readonly columns: Readonly<Record<string, { readonly type: string; readonly notNull?: true }>>;
}

/** Names of a table's columns. */
type ColumnName<Table extends Columns> = keyof Table['columns'] & string;

/** Names of a table's computed fields. */
type ComputedName<Table> = Table extends { readonly computedFields: infer Fields }
  ? keyof Fields & string
  : never;

/** Type of an unknown key of an object: no value has it, and the error of tsc shows the text. */
interface Unknown<Message extends string> {
  readonly error: Message;
}

/** A shape whose keys and relationships use columns that it has. */
export interface CheckedShape<Shape extends Columns> {
  readonly primaryKey?: { readonly name: string; readonly columns: readonly ColumnName<Shape>[] };
  readonly unique?: Readonly<Record<string, readonly ColumnName<Shape>[]>>;
  readonly references?: readonly {
    readonly columns: readonly ColumnName<Shape>[];
    readonly target: string;
  }[];
  readonly relationships?: CheckedRelationships<Shape>;
}

type CheckedRelationships<Shape extends Columns> = Shape extends { readonly relationships: infer All }
  ? {
      readonly [Name in keyof All]: {
        readonly columns: All[Name] extends { readonly columns: infer Pairs }
          ? {
              readonly [Own in keyof Pairs]: Own extends ColumnName<Shape>
                ? string
                : Unknown<`no column ${Own & string}`>;
            }
          : never;
      };
    }
  : never;

/** Tables whose relationships lead to tables among them. Names that are quoted in a key are left to the loader. */
export type CheckedTargets<Tables extends readonly unknown[]> = {
  readonly [Index in keyof Tables]: CheckedTarget<Tables[Index], KeyOf<Tables[number]>>;
};

type Declared<Entry> = Entry extends { readonly table: infer Table } ? Table : Entry;

type KeyOf<Entry> =
  Declared<Entry> extends { readonly schema: infer Schema; readonly name: infer Name }
    ? `${Schema & string}.${Name & string}`
    : never;

type CheckedTarget<Entry, Key extends string> = [TargetOf<Declared<Entry>>] extends [
  Key | `${string}"${string}`,
]
  ? Entry
  : Unknown<`no table ${Exclude<TargetOf<Declared<Entry>>, Key | `${string}"${string}`>}`>;

/** Tables that a table's relationships lead to, and those with the values of its columns. */
type TargetOf<Table> =
  | (Table extends { readonly relationships: infer All } ? PartOf<All, 'target'> : never)
  | (Table extends { readonly columns: infer All } ? PartOf<All, 'enumTable'> : never);

type PartOf<All, Part extends string> = {
  readonly [Name in keyof All]: All[Name] extends { readonly [Key in Part]: infer Found } ? Found : never;
}[keyof All] &
  string;

interface RuleKinds {
  readonly select: SelectRule;
  readonly insert: InsertRule;
  readonly update: UpdateRule;
  readonly delete: DeleteRule;
}

/** Rules whose every name exists: columns, computed fields, presets, and within texts columns of the row and casts. */
export type CheckedRules<Table extends Columns, Rules> = {
  readonly [Operation in keyof Rules]: Operation extends keyof AccessRules
    ? { readonly [Role in keyof Rules[Operation]]: CheckedRule<Table, Operation, Rules[Operation][Role]> }
    : Unknown<`no operation ${Operation & string}`>;
};

type CheckedRule<Table extends Columns, Operation extends keyof RuleKinds, Rule> = {
  readonly [Part in keyof Rule]: Part extends keyof RuleKinds[Operation]
    ? Part extends 'columns'
      ? readonly ColumnName<Table>[]
      : Part extends 'computedFields'
        ? readonly ComputedName<Table>[]
        : Part extends 'presets'
          ? CheckedTexts<Table, ColumnName<Table>, Rule[Part]>
          : Part extends 'cells'
            ? CheckedTexts<Table, ColumnName<Table> | ComputedName<Table>, Rule[Part]>
            : Part extends 'where' | 'check'
              ? CheckedText<Table, Rule[Part]>
              : Rule[Part]
    : Unknown<`a rule of ${Operation} has no ${Part & string}`>;
};

type CheckedTexts<Table extends Columns, Name extends string, Texts> = {
  readonly [Key in keyof Texts]: Key extends Name
    ? CheckedText<Table, Texts[Key]>
    : Unknown<`no column ${Key & string}`>;
};

/** A rule text as it is, or the error in it. Texts that are not literals, such as `EVERY_ROW`, are left to the loader. */
type CheckedText<Table extends Columns, Text> = Text extends string
  ? string extends Text
    ? Text
    : [MisspeltColumn<Text, ColumnName<Table>>] extends [never]
      ? [UnknownCast<Text>] extends [never]
        ? [UndeclaredAlias<Text>] extends [never]
          ? Text
          : Unknown<`no alias ${UndeclaredAlias<Text>}`>
        : Unknown<`${UnknownCast<Text>} is not a type`>
      : Unknown<`no column ${MisspeltColumn<Text, ColumnName<Table>>}`>
  : Text;

/**
 * The first column of the row that a text names and the table does not have. Names with quotes or braces, which are doubled
 * in a text, are left to the loader.
 */
type MisspeltColumn<
  Text extends string,
  Name extends string,
> = Text extends `${string}{row}."${infer Found}"${infer Rest}`
  ? Found extends Name
    ? MisspeltColumn<Rest, Name>
    : [Found, Rest] extends [`${string}{${string}`, string] | [string, `"${string}`]
      ? MisspeltColumn<Rest, Name>
      : Found
  : never;

type UnknownCast<Text extends string> = Text extends `${string}{session${string}::${infer Type}}${infer Rest}`
  ? Type extends Cast
    ? UnknownCast<Rest>
    : Type
  : never;

/** The first alias that a text uses and does not declare. What comes after a string is left to the loader. */
type UndeclaredAlias<
  Text extends string,
  Rest extends string = Text,
> = Rest extends `${infer Before}"_r${infer Digits extends number}"${infer More}`
  ? Before extends `${string}'${string}`
    ? never
    : Text extends `${string} as "_r${Digits}"${string}`
      ? UndeclaredAlias<Text, More>
      : `_r${Digits}`
  : never;

type CastBase =
  | 'smallint'
  | 'integer'
  | 'bigint'
  | 'real'
  | 'double precision'
  | 'numeric'
  | 'money'
  | 'boolean'
  | 'text'
  | 'character varying'
  | 'bpchar'
  | 'name'
  | 'uuid'
  | 'json'
  | 'jsonb'
  | 'date'
  | 'timestamp'
  | 'timestamptz'
  | 'time'
  | 'timetz'
  | `"${string}"."${string}"`;
type Cast = CastBase | `${CastBase}[]`;

/** JSON values of Postgres types, by type key; numbers that JSON cannot hold exactly may come as strings. */
interface Values {
  readonly int2: number;
  readonly int4: number;
  readonly int8: number | string;
  readonly float4: number;
  readonly float8: number | string;
  readonly numeric: number | string;
  readonly bool: boolean;
  readonly text: string;
  readonly varchar: string;
  readonly bpchar: string;
  readonly name: string;
  readonly uuid: string;
  readonly date: string;
  readonly timestamp: string;
  readonly timestamptz: string;
  readonly time: string;
  readonly timetz: string;
}

type Value<Type extends string> = Type extends keyof Values
  ? Values[Type]
  : Type extends `${infer Element}[]`
    ? readonly (Value<Element> | null)[]
    : unknown;

/** A row of a table: its columns by database name, with their JSON values. */
export type Row<Table extends Columns> = {
  readonly [Name in ColumnName<Table>]: Table['columns'][Name] extends { readonly notNull: true }
    ? Value<Table['columns'][Name]['type']>
    : Value<Table['columns'][Name]['type']> | null;
};

interface Comparison<Of> {
  readonly _eq?: Of;
  readonly _neq?: Of;
  readonly _in?: readonly Of[];
  readonly _nin?: readonly Of[];
  readonly _gt?: Of;
  readonly _lt?: Of;
  readonly _gte?: Of;
  readonly _lte?: Of;
  readonly _is_null?: boolean;
}

/** A condition on the rows of a table, by database names: what `selectRows` takes besides the request's own condition. */
export type Where<Table extends Columns> = {
  readonly [Name in ColumnName<Table>]?: Comparison<Value<Table['columns'][Name]['type']>>;
} & {
  readonly _and?: readonly Where<Table>[];
  readonly _or?: readonly Where<Table>[];
  readonly _not?: Where<Table>;
};
