/**
 * Types that read the literals of generated files: which names a table has, and what its rules may say. A misspelt name in a
 * file is an error of `tsc` because of these types, and of the loader because of declared.ts.
 * @rule What is checked in a generated file that was edited by hand?
 */
import type { AccessRules, DeleteRule, InsertRule, SelectRule, SourceShape, UpdateRule } from './shapes.ts';

export interface Columns {
  readonly columns: Readonly<Record<string, { readonly type: string; readonly notNull?: true }>>;
}

/** Names of a table's columns. */
export type ColumnName<Table extends Columns> = keyof Table['columns'] & string;

/** Names of a table's computed fields. */
type ComputedName<Table> = Table extends { readonly computedFields: infer Fields }
  ? keyof Fields & string
  : never;

/** Names of a table's relationships. */
type RelationshipName<Table> = Table extends { readonly relationships: infer All }
  ? keyof All & string
  : never;

/** Type of an unknown key of an object: no value has it, and the error of tsc shows the text. */
interface Unknown<Message extends string> {
  readonly error: Message;
}

/** A shape whose columns are of types that exist, and whose keys and relationships use columns that it has. */
export interface CheckedShape<Owner extends SourceShape, Shape extends Columns> {
  readonly columns: {
    readonly [Name in keyof Shape['columns']]: {
      readonly type: CheckedType<Owner, Shape['columns'][Name]['type']>;
    };
  };
  readonly primaryKey?: { readonly name: string; readonly columns: readonly ColumnName<Shape>[] };
  readonly unique?: Readonly<Record<string, readonly ColumnName<Shape>[]>>;
  readonly references?: readonly {
    readonly columns: readonly ColumnName<Shape>[];
    readonly target: string;
  }[];
  readonly relationships?: CheckedRelationships<Shape>;
}

/** A type key as it is, or the error in it. A name without a schema is one of pg_catalog, which is not declared. */
type CheckedType<Owner extends SourceShape, Type extends string> = Type extends
  | (keyof Owner['types'] & string)
  | `${keyof Owner['types'] & string}[]`
  ? Type
  : Type extends `${string}.${string}`
    ? Unknown<`${Type} is not a type of the source`>
    : Type;

/** A function whose arguments are of types that exist. */
export interface CheckedFunction<
  Owner extends SourceShape,
  Shape extends { readonly arguments: readonly unknown[] },
> {
  readonly arguments: CheckedArguments<Owner, Shape['arguments']>;
}

type CheckedArguments<Owner extends SourceShape, Arguments extends readonly unknown[]> = {
  readonly [Index in keyof Arguments]: Arguments[Index] extends { readonly type: infer Type extends string }
    ? CheckedType<Owner, Type> extends Type
      ? Arguments[Index]
      : { readonly type: CheckedType<Owner, Type> }
    : Arguments[Index];
};

/** Functions whose rows are of tables among those given. */
export type CheckedFunctions<Functions extends readonly unknown[], Tables extends readonly unknown[]> = {
  readonly [Index in keyof Functions]: Functions[Index] extends {
    readonly returns: { readonly table: infer Key extends string };
  }
    ? [string] extends [Key]
      ? Functions[Index]
      : Key extends KeyOf<Tables[number]> | `${string}"${string}`
        ? Functions[Index]
        : Unknown<`no table ${Key}`>
    : Functions[Index];
};

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

/**
 * Tables whose relationships lead to tables among them, and whose rules compare columns with values that their enum tables
 * have. Names that are quoted in a key are left to the loader.
 */
export type CheckedTables<Tables extends readonly unknown[]> = {
  readonly [Index in keyof Tables]: [UnknownTarget<Tables[Index], KeyOf<Tables[number]>>] extends [never]
    ? [UnknownValue<Tables[Index], Tables[number]>] extends [never]
      ? Tables[Index]
      : Unknown<`no value ${UnknownValue<Tables[Index], Tables[number]>}`>
    : Unknown<`no table ${UnknownTarget<Tables[Index], KeyOf<Tables[number]>>}`>;
};

type UnknownTarget<Entry, Key extends string> = Exclude<
  TargetOf<Declared<Entry>>,
  Key | `${string}"${string}`
>;

/** Values that no enum table has, in rules of an entry. */
type UnknownValue<Entry, Other> =
  | MisspeltValue<TextOf<Entry>, EnumTableColumns<Entry, Other>>
  | MisspeltPreset<Entry, EnumTableColumns<Entry, Other>>;

/** Columns with the values of an enum table: name → values. */
type EnumTableColumns<Entry, Other> = Entry extends { readonly table: { readonly columns: infer All } }
  ? {
      readonly [Name in keyof All as All[Name] extends { readonly enumTable: string }
        ? Name
        : never]: All[Name] extends { readonly enumTable: infer Key } ? EnumValuesOf<Other, Key> : never;
    }
  : unknown;

/** Values of the enum table of that key among tables. */
type EnumValuesOf<Other, Key> = Other extends unknown
  ? KeyOf<Other> extends Key
    ? Declared<Other> extends { readonly enumValues: infer Values }
      ? keyof Values
      : never
    : never
  : never;

type RuleOf<Entry> = Entry extends { readonly table: unknown }
  ? {
      readonly [Operation in keyof Entry & keyof AccessRules]: Entry[Operation][keyof Entry[Operation]];
    }[keyof Entry & keyof AccessRules]
  : never;

/** Texts of the conditions of an entry's rules. */
type TextOf<Entry> = PartIn<RuleOf<Entry>, 'where'> | PartIn<RuleOf<Entry>, 'check'>;

type PartIn<Rule, Part extends string> = Rule extends { readonly [Key in Part]: infer Text extends string }
  ? Text
  : never;

type MisspeltPreset<Entry, Enums> =
  RuleOf<Entry> extends infer Rule
    ? Rule extends { readonly presets: infer Presets }
      ? {
          readonly [Name in keyof Presets & keyof Enums]: Presets[Name] extends `'${infer Value}'${string}`
            ? Exclude<Value, Enums[Name]>
            : never;
        }[keyof Presets & keyof Enums]
      : never
    : never;

type Declared<Entry> = Entry extends { readonly table: infer Table } ? Table : Entry;

type KeyOf<Entry> =
  Declared<Entry> extends { readonly schema: infer Schema; readonly name: infer Name }
    ? `${Schema & string}.${Name & string}`
    : never;

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
          ? CheckedPresets<Table, Rule[Part]> & CheckedTexts<Table, ColumnName<Table>, Rule[Part]>
          : Part extends 'cells'
            ? CheckedTexts<Table, ColumnName<Table> | ComputedName<Table>, Rule[Part]>
            : Part extends 'implies'
              ? CheckedFacts<RelationshipName<Table>, Rule[Part]>
              : Part extends 'where' | 'check'
                ? CheckedText<Table, Rule[Part]>
                : Rule[Part]
    : Unknown<`a rule of ${Operation} has no ${Part & string}`>;
};

type CheckedPresets<Table extends Columns, Presets> = {
  readonly [Name in keyof Presets &
    keyof EnumColumns<Table>]: Presets[Name] extends `'${infer Value}'${string}`
    ? Value extends EnumColumns<Table>[Name]
      ? Presets[Name]
      : Unknown<`no value ${Value}`>
    : Presets[Name];
};

/** Columns of an enum type: name → values. */
type EnumColumns<Table extends Columns> = Table extends { readonly source: { readonly types: infer Types } }
  ? {
      readonly [Name in keyof Table['columns'] as Table['columns'][Name]['type'] extends keyof Types
        ? Types[Table['columns'][Name]['type']] extends { readonly kind: 'enum' }
          ? Name
          : never
        : never]: Types[Table['columns'][Name]['type'] & keyof Types] extends {
        readonly values: readonly (infer Value)[];
      }
        ? Value
        : never;
    }
  : unknown;

/**
 * Values that a text compares with a column of the row and that are not among the column's. Those with quotes or parentheses
 * are left to the loader.
 */
type MisspeltValue<Text extends string, Enums> = [keyof Enums] extends [never]
  ? never
  : Text extends `${string}{row}."${infer Column}"${infer Rest}`
    ?
        | (Column extends keyof Enums ? Exclude<Compared<Rest>, Enums[Column]> : never)
        | MisspeltValue<Rest, Enums>
    : never;

/** The values that a text begins to compare with: `= 'a'`, `<> 'a'`, `in ('a', 'b')`, `not in ('a', 'b')`. */
type Compared<Text extends string> = Text extends
  | ` = '${infer Value}'${infer Rest}`
  | ` <> '${infer Value}'${infer Rest}`
  ? Rest extends `'${string}`
    ? never
    : Value
  : Text extends ` in ('${infer List}')${string}` | ` not in ('${infer List}')${string}`
    ? Items<List>
    : never;

type Items<List extends string> = List extends `${string}''${string}`
  ? never
  : List extends `${infer First}', '${infer Rest}`
    ? First | Items<Rest>
    : List;

type CheckedFacts<Name extends string, Facts> = {
  readonly [Key in keyof Facts]: Key extends Name ? string : Unknown<`no relationship ${Key & string}`>;
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
          ? [MisspeltValue<Text, EnumColumns<Table>>] extends [never]
            ? Text
            : Unknown<`no value ${MisspeltValue<Text, EnumColumns<Table>>}`>
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
