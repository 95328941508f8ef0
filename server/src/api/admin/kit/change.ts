import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { appendInTransaction, lockChainEnd } from '../../../domains/audit/chain/append-in-transaction.ts'
import { type AuditedDeps, auditedTransaction } from '../../../domains/audit/chain/audited-transaction.ts'
import type { KeyedHasher } from '../../../domains/audit/record/hashes.ts'
import { type ChangeFacts, createChangeDraft } from '../../../domains/audit/record/record.ts'
import { requireWorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import { findAdminToken } from '../../../domains/operators/admin-token-store.ts'
import { lockPerson } from '../../../domains/operators/operator-store.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Tx } from '../../../platform/db/database.ts'
import type { Signal } from '../../../platform/db/signal.ts'
import { type Clock, elapsed } from '../../../platform/lib/clock.ts'
import { newId } from '../../../platform/lib/id.ts'
import type { SecretBox } from '../../../platform/lib/secret-box.ts'
import { type Access, accessOf, covers, NO_ACCESS } from '../../../shared/access.ts'
import type { PolicyVersion } from '../../../shared/decision.ts'
import type { Operator } from '../../../shared/operator.ts'
import type { ServiceCall } from '../../../shared/service-call.ts'

export interface ChangeDeps extends AuditedDeps {
  readonly clock: Clock
  readonly signal: Signal
  readonly workspaceBox: SecretBox
}

/** The audit record of a change: names of fields, never values. */
export interface RecordedChange {
  readonly action: `${string}.${string}`
  /** Id of the changed object. A function hashes ids that audit records must not contain. */
  readonly id: string | ((hasher: KeyedHasher) => string)
  /** Changed fields, by their names in the admin API. */
  readonly fields?: readonly string[]
  /** The code of the failure of an upload. */
  readonly failure?: string
}

/** The result of a change, and its audit record. */
export interface Change<T> extends RecordedChange {
  readonly value: T
  /** Changes of other objects that it caused. Each has a record of its own. */
  readonly caused?: readonly RecordedChange[]
  /** The published policies, and the earlier version that they restore. */
  readonly published?: PolicyVersion
  readonly restores?: Pick<PolicyVersion, 'id' | 'version'> | undefined
  /** Calls of the embedder and the reranker. */
  readonly serviceCalls?: readonly ServiceCall[]
  /** The Workspaces whose audit logs record the change. Default: the Workspace of the request. */
  readonly workspaceIds?: readonly string[]
  readonly announce?: readonly [topic: string, key: string]
}

/** A request that changes nothing: nothing is recorded. */
interface NoChange<T> {
  readonly value: T
  readonly action?: undefined
}

/**
 * Makes a change and writes its audit record in one transaction. `work` throws to refuse. Throws a 403 when the operator has lost a
 * scope since authentication. When this resolves, the change is committed, active on this node and signalled to the others. `first`
 * locks other operators before the operator's own row: two operators who remove each other would deadlock otherwise.
 */
export async function change<T>(
  { db, audit, clock, signal, workspaceBox }: ChangeDeps,
  request: Pick<FastifyRequest, 'operator' | 'workspaceId' | 'log'>,
  work: (tx: Tx, now: Date) => Promise<Change<T> | NoChange<T>>,
  first?: (tx: Tx) => Promise<unknown>,
): Promise<T> {
  const startedAt = elapsed()
  const made = await auditedTransaction({ db, audit }, async (tx) => {
    const now = clock.now()
    await first?.(tx)
    await refuseLostScopes(tx, request.operator)
    const made = await work(tx, now)
    if (made.action === undefined) return made
    const durationMs = Math.round(elapsed() - startedAt)
    try {
      await record(tx, made, { workspaceBox, request, now, durationMs })
    } catch (cause) {
      throw new GatehouseError(
        'UNAVAILABLE',
        { message: 'The audit record could not be written, so nothing was changed.' },
        cause,
      )
    }
    return made
  })
  if (made.action !== undefined && made.announce) await publish(signal, made.announce, request.log)
  return made.value
}

interface Recording {
  readonly workspaceBox: SecretBox
  readonly request: Pick<FastifyRequest, 'operator' | 'workspaceId'>
  readonly now: Date
  readonly durationMs: number
}

/** Appends a record to each log, in the order of the ids: each append may lock the end of a log. */
async function record(tx: Tx, made: Change<unknown>, { workspaceBox, request, now, durationMs }: Recording): Promise<void> {
  for (const workspaceId of new Set((made.workspaceIds ?? [request.workspaceId]).toSorted())) {
    // Read in this transaction, which may have created the Workspace.
    const keys = await requireWorkspaceKeys(tx, workspaceBox, workspaceId)
    const drafts = [made, ...(made.caused ?? [])].map((change, index) =>
      createChangeDraft({
        id: newId('aud'),
        workspaceId,
        at: now,
        actor: keys.hasher.user(request.operator.id),
        change: factsOf(change, keys.hasher),
        policyVersions: index === 0 && made.published ? [made.published] : undefined,
        durationMs,
        serviceCalls: index === 0 ? made.serviceCalls : undefined,
      }),
    )
    await appendInTransaction(tx, workspaceId, drafts, keys.hasher)
  }
}

/** As `first`, for a change that locks what records of requests lock after the end of their chain: the counts of budgets. */
export const chainFirst =
  ({ workspaceId }: Pick<FastifyRequest, 'workspaceId'>) =>
  (tx: Tx): Promise<void> =>
    lockChainEnd(tx, workspaceId)

const factsOf = (
  { action, id, fields = [], failure, restores }: RecordedChange & Pick<Change<unknown>, 'restores'>,
  hasher: KeyedHasher,
): ChangeFacts => ({
  action,
  object_type: action.slice(0, action.indexOf('.')),
  object_id: typeof id === 'string' ? id : id(hasher),
  fields,
  ...(failure !== undefined && { failure }),
  ...(restores && { restores }),
})

/** The change is already committed. If the signal fails, the caches of other nodes expire within a second. */
async function publish(signal: Signal, [topic, key]: readonly [string, string], log: FastifyRequest['log']): Promise<void> {
  try {
    await signal.publish(topic, key)
  } catch (err) {
    log.error({ err, topic }, 'could not signal a change to other nodes')
  }
}

/** Throws a 403 unless the operator still may do everything as at the authentication. Roles cannot change until `tx` ends. */
async function refuseLostScopes(tx: Tx, operator: Operator): Promise<void> {
  if (covers(await lockAccess(tx, operator), operator.access)) return
  throw new GatehouseError('FORBIDDEN', {
    message: 'Your permissions changed during this request, so nothing was done. Sign in again.',
  })
}

/** The present access of an operator or admin token, which cannot change until `tx` ends. */
export const lockAccess = (tx: Tx, { id, kind }: Pick<Operator, 'id' | 'kind'>): Promise<Access> =>
  kind === 'person' ? accessOfPerson(tx, id) : accessOfToken(tx, id)

async function accessOfPerson(tx: Tx, id: string): Promise<Access> {
  const person = await lockPerson(tx, id)
  return person && person.state !== 'suspended' ? accessOf(person.roles) : NO_ACCESS
}

async function accessOfToken(tx: Tx, id: string): Promise<Access> {
  const issuer = (await findAdminToken(tx, id))?.issuedBy
  if (issuer) await lockPerson(tx, issuer)
  return (await findAdminToken(tx, id))?.access ?? NO_ACCESS
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
}

/** The fields that a body sets: `limits.burst`. Names that clients choose may reveal as much as values, so only their object is named. */
export const changedFields = (schema: TSchema, body: object): string[] => namesIn(schema as Shape, body, '')

function namesIn({ properties }: Shape, value: unknown, path: string): string[] {
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return [path]
  const set = Object.entries(value).filter(([, field]) => field !== undefined)
  const names = set.flatMap(([name, field]) => {
    const shape = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!shape) return path
    return namesIn(shape, field, path ? `${path}.${name}` : name)
  })
  return [...new Set(names)].filter((name) => name !== '')
}
