/** What judges a change for the console, and reads the text of actions: functions of the compiler's side. */
import type { SourceCatalog } from '../catalog/catalog.ts';
import type { Metadata } from '../metadata/metadata.ts';
import type { Compilation } from '../metadata-api/change/state.ts';
import type { PreviewAnswer } from './proposal-questions.ts';
import type { PermissionQuestion } from './questions.ts';
import type { ActionAnswer } from './services-questions.ts';

/** Metadata, and what was compiled of it. */
export interface ProposedVersion {
  readonly metadata: Metadata;
  readonly catalogs: Readonly<Record<string, SourceCatalog | { readonly error: string }>>;
  readonly compilation: Compilation;
}

/** @param since the metadata that the patch begins with; null: an empty folder */
export type PreviewChange = (
  before: ProposedVersion,
  after: ProposedVersion,
  since: Metadata | null,
) => Omit<PreviewAnswer, 'inconsistencies'>;

/**
 * An action of a version.
 * @param name undefined for one that is to be made
 * @param text a definition in GraphQL, to be read
 */
export type DescribeAction = (
  version: ProposedVersion,
  name: string | undefined,
  text: string | undefined,
) => Promise<ActionAnswer>;

/** What the compiler's side answers for the console of one server. It keeps what it read of the served version. */
export interface Reviews {
  /**
   * Answers with JSON; `null` for what is not served.
   * @param files generated code
   * @throws EngineError if a version to compare with cannot be read
   */
  readonly answerPermissions: (files: ReadonlyMap<string, string>, question: PermissionQuestion) => string;
  readonly previewChange: PreviewChange;
  readonly describeAction: DescribeAction;
}
