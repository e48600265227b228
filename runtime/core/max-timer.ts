/** The longest time that timers of the platform wait, in milliseconds: what is longer, they take for 1. */
export const MAX_TIMER = 2 ** 31 - 1;
/** The same in whole seconds, 24 days. */
export const MAX_TIMER_SECONDS = Math.floor(MAX_TIMER / 1000);
/** Seconds that a moment may lie ahead or back: 68 years. PostgreSQL has no moments much further away. */
export const MAX_SECONDS = 2 ** 31 - 1;
