// default · source
import { source as declareSource } from "engine/contract";

export const source = declareSource({
  name: "default",
  kind: "postgres",
  postgres: 18,
  types: {
    "public.article": { kind: "row" },
    "public.author": { kind: "row" },
    "public.citext": { kind: "base" },
    "public.mood": { kind: "enum", values: ["happy", "sad"] },
    "public.slug": { kind: "domain", base: "text" },
  },
});
