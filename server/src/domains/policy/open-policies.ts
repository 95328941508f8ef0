import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { ActivePolicies, POLICIES_TOPIC } from './active-policies.ts'

interface OpenOptions {
  readonly db: Db
  readonly signal: Pick<Signal, 'subscribe'>
  readonly onError: (error: Error) => void
  readonly loadMs: number
}

/** The active policies of each Workspace. A change on any node drops the cached ones. */
export function openPolicies({ db, signal, onError, loadMs }: OpenOptions) {
  const policies = new ActivePolicies(db, { onProblem: onError, loadMs })
  signal.subscribe(POLICIES_TOPIC, (workspaceId) => policies.forget(workspaceId))
  return { policies }
}
