import type { FastifyRequest } from 'fastify'
import { appendInTransaction } from '../audit/audit-store.ts'
import type { KeyedHasher } from '../audit/hashes.ts'
import { type ChangeFacts, changeDraft } from '../audit/record.ts'
import { loadWorkspaceKeys } from '../audit/workspace-keys.ts'
import type { Db, Tx } from '../db/database.ts'
import type { Signal } from '../db/signal.ts'
import { GatehouseError } from '../errors.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import { refuseLostScopes } from './standing.ts'

export interface ChangeDeps {
  readonly db: Db
  readonly clock: Clock
  readonly signal: Signal
  readonly workspaceBox: SecretBox
}

/** What a change did, and what of it goes into the audit record: names, never values. */
export interface Change<T> {
  readonly value: T
  /** `application.update`: the kind of thing, and what happened to it. */
  readonly action: `${string}.${string}`
  /** Of what was changed; made with the Workspace's hasher where the id itself is not for records. */
  readonly id: string | ((hasher: KeyedHasher) => string)
  /** By their names in the admin API. */
  readonly fields?: readonly string[]
  /** The Workspace in whose chain it is recorded; default: the request's. */
  readonly workspaceId?: string
  /** Topic and key by which every node learns of it. */
  readonly announce?: readonly [topic: string, key: string]
}

/** What has turned out to change nothing: nothing is recorded. */
interface NoChange<T> {
  readonly value: T
  readonly action?: undefined
}

/**
 * Makes a change and records who made it, in one transaction: both are kept, or neither. To refuse, `work` throws; an operator who
 * has lost a scope since the request was authenticated is refused as well. When this resolves, the change is durable and in force
 * on this node; other nodes have been told. `first` takes locks on other operators, which must come before the one on the
 * operator's own row: two who remove each other would deadlock.
 */
export async function change<T>(
  { db, clock, signal, workspaceBox }: ChangeDeps,
  request: Pick<FastifyRequest, 'operator' | 'workspaceId' | 'log'>,
  work: (tx: Tx, now: Date) => Promise<Change<T> | NoChange<T>>,
  first?: (tx: Tx) => Promise<unknown>,
): Promise<T> {
  const startedAt = elapsed()
  const made = await db.transaction().execute(async (tx) => {
    const now = clock.now()
    await first?.(tx)
    await refuseLostScopes(tx, request.operator)
    const made = await work(tx, now)
    if (made.action === undefined) return made
    const workspaceId = made.workspaceId ?? request.workspaceId
    try {
      // From this transaction: the Workspace itself may be what it makes.
      const keys = await loadWorkspaceKeys(tx, workspaceBox, workspaceId)
      if (!keys) throw new Error('the Workspace has no keys')
      const draft = changeDraft({
        id: newId('aud'),
        workspaceId,
        at: now,
        actor: keys.hasher.user(request.operator.id),
        change: factsOf(made, keys.hasher),
        durationMs: Math.round(elapsed() - startedAt),
      })
      await appendInTransaction(tx, workspaceId, [draft], keys.hasher)
    } catch (cause) {
      throw new GatehouseError('UNAVAILABLE', { message: 'The change could not be recorded, so it was not made.' }, cause)
    }
    return made
  })
  if (made.action !== undefined && made.announce) await tell(signal, made.announce, request.log)
  return made.value
}

const factsOf = ({ action, id, fields = [] }: Change<unknown>, hasher: KeyedHasher): ChangeFacts => ({
  action,
  object_type: action.slice(0, action.indexOf('.')),
  object_id: typeof id === 'string' ? id : id(hasher),
  fields,
})

/** The change stands whether or not others hear of it now: what they remember grows old within a second. */
async function tell(signal: Signal, [topic, key]: readonly [string, string], log: FastifyRequest['log']): Promise<void> {
  try {
    await signal.publish(topic, key)
  } catch (err) {
    log.error({ err, topic }, 'other nodes could not be told of a change')
  }
}
