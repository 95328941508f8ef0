import { sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newUuid, toId } from '../../../platform/lib/id.ts'
import { hasEnded } from '../../../platform/queue/lease.ts'
import type { User } from '../../../shared/principal.ts'
import type { AssistantTurnTable } from './tables.ts'

/** A message that an assistant must answer, claimed by a worker. Ids are TypeIDs, except those of users. */
export interface Turn {
  /** `msg_…`: the message to be answered. */
  readonly messageId: string
  readonly workspaceId: string
  /** `conv_…` */
  readonly conversationId: string
  readonly assistantId: string
  /** The author as the user token describes it, if that differs from the stored user; null: the stored user. */
  readonly author: User | null
  /** Number of claims, including this one; claims that ended because of limits or a hold do not count. */
  readonly attempts: number
  /** `rev_…`: the hold of the turn, which is decided or has expired. */
  readonly reviewItemId: string | null
  readonly createdAt: Date
  /** W3C traceparent of the request that sent the message; null: none. */
  readonly traceparent: string | null
  /** Id of this claim. Store functions change the turn only while it is the latest one. */
  readonly claim: string
}

/** No lease or delay is longer. */
const LONGEST_LEASE_MS = 15 * 60_000

/**
 * Claims up to `most` turns that no node works on, oldest first, for `leaseMs`; renew the lease while the work takes longer. Turns
 * of one assistant in one conversation are claimed one after the other, a held turn after its review is decided or has expired.
 */
export async function claimTurns(db: Db, now: Date, leaseMs: number, most: number): Promise<Turn[]> {
  const { rows } = await sql<Turn>`
    update assistant_turn set attempts = attempts + 1, claim = ${newUuid()}, claimed_until = ${new Date(now.getTime() + leaseMs)}
    where message_id = any(array(
      select turn.message_id
      from assistant_turn turn left join review_item item on item.id = turn.review_item_id
      where ${hasEnded(sql.ref('turn.claimed_until'), now, LONGEST_LEASE_MS)} and (
        (turn.state = 'held' and (item.id is null or item.state <> 'pending' or item.expires_at <= ${now}))
        or (turn.state = 'waiting' and not exists (
          select from assistant_turn earlier
          where earlier.conversation_id = turn.conversation_id and earlier.assistant_id = turn.assistant_id
            and earlier.state = 'waiting'
            and (earlier.created_at, earlier.message_id) < (turn.created_at, turn.message_id)
        ))
      )
      order by turn.created_at, turn.message_id
      limit ${most}
      for update of turn skip locked
    ))
    returning message_id as "messageId", workspace_id as "workspaceId", conversation_id as "conversationId",
      assistant_id as "assistantId", author, attempts, review_item_id as "reviewItemId", created_at as "createdAt", traceparent, claim`.execute(
    db,
  )
  return rows.map((row) => ({
    ...row,
    messageId: toId('msg', row.messageId),
    workspaceId: toId('ws', row.workspaceId),
    conversationId: toId('conv', row.conversationId),
    reviewItemId: row.reviewItemId && toId('rev', row.reviewItemId),
  }))
}

/** Extends the lease. Returns false as {@link change} does. */
export const renewClaim = (db: Db, turn: Turn, until: Date): Promise<boolean> => change(db, turn, { claimed_until: until })

/** Releases the turn; it is due again at `until`. */
export const postponeTurn = (db: Db, turn: Turn, until: Date, { failed }: { readonly failed: boolean }): Promise<boolean> =>
  change(db, turn, { claim: null, claimed_until: until, ...(!failed && { attempts: turn.attempts - 1 }) })

/** Holds the turn until a reviewer decides. */
export const holdTurn = (tx: Tx, turn: Turn, reviewItemId: string): Promise<boolean> =>
  change(tx, turn, { ...UNCLAIMED, state: 'held', review_item_id: uuidOf('rev', reviewItemId), attempts: 0 })

/** Ends the turn without an answer. The row stays, so that later turns omit the message from their history. */
export const refuseTurn = (tx: Tx, turn: Turn): Promise<boolean> =>
  change(tx, turn, { ...UNCLAIMED, state: 'refused', review_item_id: null })

const UNCLAIMED = { claim: null, claimed_until: null }

export async function endTurn(tx: Tx, turn: Turn): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('assistant_turn')
    .where('workspace_id', '=', uuidOf('ws', turn.workspaceId))
    .where('message_id', '=', uuidOf('msg', turn.messageId))
    .where('claim', '=', turn.claim)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Returns false if another worker has the turn, or it was deleted with its message: the caller discards its result. */
async function change(db: Db, turn: Turn, fields: Updateable<AssistantTurnTable>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('assistant_turn')
    .set(fields)
    .where('workspace_id', '=', uuidOf('ws', turn.workspaceId))
    .where('message_id', '=', uuidOf('msg', turn.messageId))
    .where('claim', '=', turn.claim)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
