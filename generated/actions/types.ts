// Custom types: what actions take and answer.
import { customTypes } from "engine/contract";

export const types = customTypes({
  objects: {
    Suggestion: {
      fields: {
        ticket_id: { type: "Int!" },
        text: { type: "String!" },
      },
      relationships: {
        ticket: { kind: "object", source: "default", table: "public.ticket", columns: { ticket_id: "id" } },
      },
    },
    TicketExport: {
      fields: {
        url: { type: "String!" },
        since: { type: "date!" },
      },
    },
  },
  postgres: {
    date: "date",
  },
});

export type date = string;

export interface Suggestion {
  ticket_id: number;
  text: string;
}

export interface TicketExport {
  url: string;
  since: date;
}
