// Everything that calls webhooks by itself: event triggers of each source, and cron triggers.
import { eventsProgram } from "engine/contract";
import { cron } from "./cron.ts";

export const events = eventsProgram({
  sources: [
  ],
  cron: cron,
});
