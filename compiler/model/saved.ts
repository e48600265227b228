/** What the plan says of saved operations: what the generated files will declare. */
export type { SavedProgram as PlannedSaved } from '../../runtime/core/saved.ts';
