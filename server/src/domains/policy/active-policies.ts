import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache, type CacheStatistics } from '../../platform/lib/cache.ts'
import { withDeadline } from '../../platform/lib/deadline.ts'
import type { MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { type CompiledPolicy, compile } from './compile.ts'
import { parsePolicySet } from './parse.ts'
import { findActivePolicyId, findActivePolicySet, type StoredPolicySet } from './policy-store.ts'

/** Signal topic: the active version of a Workspace changed. The key is the id of the Workspace. */
export const POLICIES_TOPIC = 'policies'

interface ActivePoliciesOptions {
  readonly onProblem: (problem: Error) => void
  readonly maxAgeMs?: number
  readonly loadMs?: number | undefined
}

interface LastValid {
  /** Undefined: a Workspace without policies. */
  readonly policy: CompiledPolicy | undefined
  /** The number of its load: a load that began earlier and ends later does not replace it. */
  readonly load: number
}

/** The compiled active version of each Workspace. If it cannot be loaded, the last valid one is used (decision 0005). */
export class ActivePolicies {
  readonly #db: Db
  readonly #options: ActivePoliciesOptions
  readonly #cache: Cache<CompiledPolicy | undefined>
  readonly #lastValid = new Map<string, LastValid>()
  #loads = 0
  /** Errors of stored versions that are not valid, by version id, so that each version is parsed once. */
  readonly #invalid = new Map<string, Error>()
  #reported: unknown

  constructor(db: Db, options: ActivePoliciesOptions) {
    this.#db = db
    this.#options = options
    this.#cache = new Cache((workspaceId) => this.#load(workspaceId), { maxAgeMs: options.maxAgeMs, renews: true })
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics
  }

  /** Undefined: everything is allowed. Throws if no version could be loaded: an unknown policy must not allow everything. */
  current(workspaceId: string): MaybePromise<CompiledPolicy | undefined> {
    return this.#cache.get(workspaceId)
  }

  forget(workspaceId?: string): void {
    this.#cache.forget(workspaceId)
  }

  async #load(workspaceId: string): Promise<CompiledPolicy | undefined> {
    const load = ++this.#loads
    try {
      const loading = this.#read(workspaceId)
      const { loadMs } = this.#options
      const policy = await (loadMs === undefined ? loading : withDeadline(loadMs, loading, 'the policies were not read'))
      if (load > (this.#lastValid.get(workspaceId)?.load ?? 0)) this.#lastValid.set(workspaceId, { policy, load })
      return policy
    } catch (cause) {
      const lastValid = this.#lastValid.get(workspaceId)
      if (!lastValid) throw cause
      if (cause !== this.#reported) {
        this.#options.onProblem(
          new Error('the active policy set could not be loaded, so the last valid one stays active', { cause }),
        )
      }
      this.#reported = cause
      return lastValid.policy
    }
  }

  async #read(workspaceId: string): Promise<CompiledPolicy | undefined> {
    const id = await findActivePolicyId(this.#db, workspaceId)
    if (id === undefined) return undefined
    const lastValid = this.#lastValid.get(workspaceId)?.policy
    if (lastValid?.version.id === id) return lastValid
    const error = this.#invalid.get(id)
    if (error) throw error
    const stored = await findActivePolicySet(this.#db, workspaceId)
    return stored && this.#compile(stored)
  }

  /** Throws if the document is not valid, which happens if an older release accepted it. */
  #compile({ id, name, version, sha256, source }: StoredPolicySet): CompiledPolicy {
    const parsed = parsePolicySet(source)
    if (parsed.ok) return compile(parsed.set, { id, name, sha256, version })
    const [first] = parsed.errors
    const error = new Error(`policy set ${id} is not valid: ${first?.field}: ${first?.message}`)
    this.#invalid.set(id, error)
    throw error
  }
}

interface OpenOptions extends Pick<ActivePoliciesOptions, 'loadMs'> {
  readonly db: Db
  readonly signal: Pick<Signal, 'subscribe'>
  readonly onError: (error: Error) => void
}

/** A change on any node drops the cached policies. */
export function openPolicies({ db, signal, onError, loadMs }: OpenOptions) {
  const policies = new ActivePolicies(db, { onProblem: onError, loadMs })
  signal.subscribe(POLICIES_TOPIC, (workspaceId) => policies.forget(workspaceId))
  return { policies }
}
