// Cron triggers: when they fire (UTC), and what is sent where.
import { cronTriggers } from "engine/contract";

export const cron = cronTriggers([
  {
    name: "every_minute",
    schedule: "* * * * *",
    payload: { remind: "agents" },
    tolerance: 21600,
    delivery: {
      webhook: "{{HELPDESK_HOOKS}}/every-minute",
      headers: [{ name: "X-Helpdesk-Secret", value: { env: "HELPDESK_HOOKS_SECRET" } }],
      retry: { retries: 0, interval: 10, timeout: 60 },
    },
  },
]);
