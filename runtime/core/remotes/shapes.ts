/** Remote schemas as generated files declare them: the address, the whole schema, and the part that each role sees. */
import type { EnvironmentText } from '../environment-template.ts';
import type { NumberText } from '../types.ts';

export interface RemoteSchemaShape {
  readonly name: string;
  readonly url: EnvironmentText;
  /** Sent with every call. */
  readonly headers?: Readonly<Record<string, EnvironmentText>>;
  readonly forwardClientHeaders?: true;
  /** Seconds for a whole call. */
  readonly timeout: number;
  readonly customization?: RemoteCustomization;
  /** The whole schema as SDL, sorted by name. */
  readonly schema: string;
  /** The part that each role sees, as SDL with `@preset`; admin sees everything. */
  readonly roles: Readonly<Record<string, string>>;
  /** Type → relationship. */
  readonly relationships?: Readonly<Record<string, Readonly<Record<string, RemoteRelationshipShape>>>>;
}

export interface RemoteCustomization {
  /** All root fields are below a field of this name. */
  readonly namespace?: string;
  readonly types?: Renaming;
  /** By type, as the remote names it. */
  readonly fields?: Readonly<Record<string, Renaming>>;
}

export interface Renaming {
  readonly prefix?: string;
  readonly suffix?: string;
  /** Names that are not made of prefix and suffix. */
  readonly names?: Readonly<Record<string, string>>;
}

/** A relationship that another step looks up. */
export type RemoteRelationshipShape =
  | {
      readonly to: 'remote';
      readonly remote: string;
      /** Fields of the left side whose values are used, without repetition. */
      readonly keys: readonly string[];
      /** From a root field inwards; in arguments `{ key: name }` is replaced by a value of the left side. */
      readonly path: readonly { readonly field: string; readonly arguments: RemoteArguments }[];
      /** The field is null where the remote schema fails. */
      readonly onError?: 'null';
      readonly description?: string;
    }
  | {
      readonly to: 'source';
      readonly source: string;
      /** Key of the table. */
      readonly target: string;
      readonly kind: 'object' | 'array';
      /** Field of the left side → column of the target. */
      readonly columns: Readonly<Record<string, string>>;
      readonly description?: string;
    };

export type RemoteArguments = Readonly<Record<string, RemoteArgument>>;

/** A value of an argument, as data. */
export type RemoteArgument =
  | { readonly key: string }
  | { readonly value: string | number | NumberText | boolean | null }
  | { readonly items: readonly RemoteArgument[] }
  | { readonly fields: RemoteArguments };

/** A remote schema as it was read last; `stale` is the error of the latest attempt. Or the error, if it was never read. */
export type RemoteOrError = { readonly sdl: string; readonly stale?: string } | { readonly error: string };

/** Declares a remote schema. */
export function remoteSchema(shape: RemoteSchemaShape): RemoteSchemaShape {
  return Object.freeze(shape);
}
