// Custom types: what actions take and answer.
import { customTypes } from "engine/contract";

export const types = customTypes({
  scalars: {
    Blob: {
      description: "whatever the handler sends",
    },
  },
  enums: {
    Mood: {
      values: {
        good: {},
        bad: { deprecated: true },
      },
    },
  },
  inputs: {
    Person: {
      fields: {
        name: { type: "String!" },
        mood: { type: "Mood" },
        friends: { type: "[Person!]" },
      },
    },
  },
  objects: {
    Doubtful: {
      fields: {
        id: { type: "Int!" },
        flag: { type: "Boolean" },
        code: { type: "uuid" },
      },
      relationships: {
        number_to_text: { kind: "array", source: "default", table: "public.account", columns: { id: "name" } },
        uuid_to_number: { kind: "array", source: "default", table: "public.account", columns: { code: "big" } },
        flag_to_number: { kind: "array", source: "default", table: "public.account", columns: { flag: "id" } },
        one_of_many: { kind: "object", source: "default", table: "public.entry", columns: { id: "account_id" } },
      },
    },
    Fitting: {
      fields: {
        id: { type: "Int!" },
        code: { type: "uuid" },
        text: { type: "String" },
      },
      relationships: {
        by_id: { kind: "object", source: "default", table: "public.account", columns: { id: "id" } },
        by_text: { kind: "array", source: "default", table: "public.account", columns: { text: "code" } },
      },
    },
  },
  postgres: {
    uuid: "uuid",
  },
});

export type Blob = unknown;

export type uuid = string;

export type Mood = "good" | "bad";

export interface Person {
  name: string;
  mood?: Mood | null;
  friends?: Person[] | null;
}

export interface Doubtful {
  id: number;
  flag?: boolean | null;
  code?: uuid | null;
}

export interface Fitting {
  id: number;
  code?: uuid | null;
  text?: string | null;
}
