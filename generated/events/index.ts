// Everything that calls webhooks by itself: event triggers of each source, and cron triggers.
import { eventsProgram } from "engine/contract";
import { articleRatedTrigger } from "./default/article_rated.ts";
import { cron } from "./cron.ts";

export const events = eventsProgram({
  sources: [
    { source: "default", triggers: [articleRatedTrigger] },
  ],
  cron: cron,
});
