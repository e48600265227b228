/** What the plan says of saved operations. */
import type { AllowedDocument, RestRoute, SavedOperation } from '../../runtime/core/saved.ts';

export interface PlannedSaved {
  readonly operations: readonly SavedOperation[];
  readonly allowlist: readonly AllowedDocument[];
  readonly routes: readonly RestRoute[];
}
