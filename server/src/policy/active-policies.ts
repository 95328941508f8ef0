import type { Db } from '../db/database.ts'
import { Cache } from '../lib/cache.ts'
import { withDeadline } from '../lib/deadline.ts'
import { type CompiledPolicy, compile } from './compile.ts'
import { parsePolicySet } from './parse.ts'
import { findActivePolicyId, findActivePolicySet, type StoredPolicySet } from './policy-store.ts'

/** Signal topic: another version is in force in a Workspace. The key is its id. */
export const POLICIES_TOPIC = 'policies'

interface LibraryOptions {
  readonly onProblem: (problem: Error) => void
  readonly maxAgeMs?: number
  /** Longest time of a look; the last good set serves then. */
  readonly loadMs?: number
}

/**
 * The compiled policies in force, Workspace by Workspace. A change reaches the next caller after `forget`, or after a short while
 * by itself; callers that have a set already keep it to the end of their exchange. Where the new set cannot be had (the database is
 * away, its text is not valid any more), the last good one stays; where there never was one, `current` throws: no set at all
 * would mean that everything is allowed.
 */
export class ActivePolicies {
  readonly #db: Db
  readonly #onProblem: (problem: Error) => void
  readonly #loadMs: number | undefined
  readonly #cache: Cache<CompiledPolicy | undefined>
  /** The last good set; undefined for a Workspace without policies. */
  readonly #lastGood = new Map<string, CompiledPolicy | undefined>()
  /** Why a stored version cannot be used, by its id: it is not read again at every look. */
  readonly #unusable = new Map<string, Error>()
  #reported: unknown

  /** `onProblem` is told when a set could not be had and an older one serves instead. */
  constructor(db: Db, { onProblem, maxAgeMs, loadMs }: LibraryOptions) {
    this.#db = db
    this.#onProblem = onProblem
    this.#cache = new Cache((workspaceId) => this.#load(workspaceId), { maxAgeMs })
    this.#loadMs = loadMs
  }

  /** Undefined when the Workspace has no policies: everything is allowed. Throws when that cannot be known. */
  current(workspaceId: string): Promise<CompiledPolicy | undefined> {
    return this.#cache.get(workspaceId)
  }

  /** Something was published there; without a Workspace: perhaps anywhere. */
  forget(workspaceId?: string): void {
    this.#cache.forget(workspaceId)
  }

  async #load(workspaceId: string): Promise<CompiledPolicy | undefined> {
    try {
      const reading = this.#read(workspaceId)
      const policy = await (this.#loadMs === undefined
        ? reading
        : withDeadline(this.#loadMs, reading, 'the policies were not read'))
      this.#lastGood.set(workspaceId, policy)
      return policy
    } catch (cause) {
      if (!this.#lastGood.has(workspaceId)) throw cause
      if (cause !== this.#reported) {
        this.#onProblem(new Error('the policy set in force could not be loaded, the last good one stays', { cause }))
      }
      this.#reported = cause
      return this.#lastGood.get(workspaceId)
    }
  }

  async #read(workspaceId: string): Promise<CompiledPolicy | undefined> {
    const id = await findActivePolicyId(this.#db, workspaceId)
    if (id === undefined) return undefined
    const known = this.#lastGood.get(workspaceId)
    if (known?.version.id === id) return known
    const unusable = this.#unusable.get(id)
    if (unusable) throw unusable
    const stored = await findActivePolicySet(this.#db, workspaceId)
    return stored && this.#compile(stored)
  }

  /** Throws when the text is not valid: it was checked when it was published, but perhaps by an older release. */
  #compile({ id, name, version, sha256, source }: StoredPolicySet): CompiledPolicy {
    const parsed = parsePolicySet(source)
    if (parsed.ok) return compile(parsed.set, { id, name, sha256, version })
    const [first] = parsed.errors
    const unusable = new Error(`policy set ${id} is not valid: ${first?.field}: ${first?.message}`)
    this.#unusable.set(id, unusable)
    throw unusable
  }
}
