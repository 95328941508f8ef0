import type { SecretBox } from '../lib/secret-box.ts'
import type { Ledger } from './ledger.ts'
import type { RecordScope } from './record-changes.ts'

export interface ApplyDeps {
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
}

/** Within which Workspace and transaction something is applied, and when. */
export interface Scope extends RecordScope {
  readonly providerBox: SecretBox
  /** Absent: what is applied is not declared in a file, and nothing is remembered of it. */
  readonly ledger?: Ledger | undefined
}
