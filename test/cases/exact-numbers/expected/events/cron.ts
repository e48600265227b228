// Cron triggers: when they fire (UTC), and what is sent where.
import { cronTriggers, exact } from "engine/contract";

export const cron = cronTriggers([
  {
    name: "nightly",
    schedule: "0 0 * * *",
    payload: { after: exact("9007199254740993"), limit: exact("1e400") },
    tolerance: 21600,
    delivery: {
      webhook: "http://127.0.0.1:1/",
      headers: [],
      retry: { retries: 0, interval: 10, timeout: 60 },
    },
  },
]);
