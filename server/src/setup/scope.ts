import type { SecretBox } from '../lib/secret-box.ts'
import type { RecordScope } from './record-changes.ts'

export interface ApplyDeps {
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
}

/** Within which Workspace and transaction something is applied, and when. */
export interface Scope extends RecordScope {
  readonly providerBox: SecretBox
}
