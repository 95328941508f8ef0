import type { WorkspaceKeys } from '../domains/audit/workspace-keys.ts'
import type { Budget } from '../domains/budgets/budget.ts'
import type { ActivePolicies } from '../domains/policy/active-policies.ts'
import type { CompiledPolicy } from '../domains/policy/compile.ts'
import type { Provider } from '../domains/providers/provider.ts'
import type { Cache } from '../platform/lib/cache.ts'
import type { MaybePromise } from '../platform/lib/maybe-promise.ts'

/** The settings of a Workspace that the stages read, the same for all stages of a request. */
export interface WorkspaceSnapshot {
  /** Undefined: everything is allowed. */
  readonly policy: CompiledPolicy | undefined
  readonly keys: WorkspaceKeys
  readonly providers: readonly Provider[]
  /** The enabled ones. */
  readonly budgets: readonly Budget[]
}

export interface WorkspaceDeps {
  readonly policies: Pick<ActivePolicies, 'current'>
  readonly workspaceKeys: Cache<WorkspaceKeys>
  readonly providers: Cache<readonly Provider[]>
  readonly budgets: Cache<readonly Budget[]>
}

/** A promise only if a part has to be loaded; it rejects if one cannot be. */
export function readWorkspace(id: string, deps: WorkspaceDeps): MaybePromise<WorkspaceSnapshot> {
  const [policy, keys] = [deps.policies.current(id), deps.workspaceKeys.get(id)]
  const [providers, budgets] = [deps.providers.get(id), deps.budgets.get(id)]
  if (policy instanceof Promise || keys instanceof Promise || providers instanceof Promise || budgets instanceof Promise) {
    const parts = Promise.all([policy, keys, providers, budgets])
    return parts.then(([policy, keys, providers, budgets]) => ({ policy, keys, providers, budgets }))
  }
  return { policy, keys, providers, budgets }
}
