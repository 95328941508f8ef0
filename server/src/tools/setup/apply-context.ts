import type { SecretBox } from '../../platform/lib/secret-box.ts'
import type { Ledger } from './ledger.ts'
import type { RecordContext } from './record-changes.ts'

export interface ApplyDeps {
  readonly workspaceBox: SecretBox
  readonly providerBox: SecretBox
}

/** The transaction, Workspace and time in which a declaration is applied. */
export interface ApplyContext extends RecordContext {
  readonly providerBox: SecretBox
  /** Absent: the declaration does not come from a file, so its hashes are not stored. */
  readonly ledger?: Ledger | undefined
}
