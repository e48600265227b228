// Cron triggers: when they fire (UTC), and what is sent where.
import { cronTriggers } from "engine/contract";

export const cron = cronTriggers([
  {
    name: "nightly",
    schedule: "0 0 * * *",
    tolerance: 21600,
    delivery: {
      webhook: "http://localhost/",
      headers: [],
      retry: { retries: 0, interval: 10, timeout: 60 },
    },
  },
]);
