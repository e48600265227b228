/** Saved operations in the plan, as generated files declare them. */
export type { SavedProgram as PlannedSaved } from '../../runtime/core/saved/saved.ts';
