import { sql, type Updateable } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { type Entity, fromRow, type RowOf } from '../../../platform/db/from-row.ts'
import type { Schema } from '../../../platform/db/schema.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { newUuid } from '../../../platform/lib/id.ts'
import { hasEnded } from '../../../platform/queue/lease.ts'

const TURN_COLUMNS = [
  'message_id',
  'workspace_id',
  'conversation_id',
  'assistant_id',
  'author',
  'attempts',
  'review_item_id',
  'created_at',
  'traceparent',
] as const

/** A message that an assistant must answer, claimed by a worker. */
export interface Turn extends Entity<'assistant_turn', (typeof TURN_COLUMNS)[number]> {
  /** Id of this claim. Store functions change the turn only while it is the latest one. */
  readonly claim: string
}

/** No lease or delay is longer. */
const LONGEST_LEASE_MS = 15 * 60_000

/** Claims the oldest due turns: one at a time of an assistant in a conversation, and a held turn after its review. */
export async function claimTurns(db: Db, now: Date, leaseMs: number, most: number): Promise<Turn[]> {
  const claim = newUuid()
  const { rows } = await sql<Pick<RowOf<'assistant_turn'>, (typeof TURN_COLUMNS)[number]>>`
    update assistant_turn set attempts = attempts + 1, claim = ${claim}, claimed_until = ${new Date(now.getTime() + leaseMs)}
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
    returning ${sql.join(TURN_COLUMNS.map((name) => sql.ref(name)))}`.execute(db)
  const prefixes = { message_id: 'msg', workspace_id: 'ws', conversation_id: 'conv', review_item_id: 'rev' }
  return rows.map((row) => ({ ...fromRow(row, prefixes), claim }))
}

export const renewClaim = (db: Db, turn: Turn, until: Date): Promise<boolean> => change(db, turn, { claimed_until: until })

export const postponeTurn = (db: Db, turn: Turn, until: Date, { failed }: { readonly failed: boolean }): Promise<boolean> =>
  change(db, turn, { claim: null, claimed_until: until, ...(!failed && { attempts: turn.attempts - 1 }) })

export const holdTurn = (tx: Tx, turn: Turn, reviewItemId: string): Promise<boolean> =>
  change(tx, turn, { ...UNCLAIMED, state: 'held', review_item_id: uuidOf('rev', reviewItemId), attempts: 0 })

/** Ends the turn without an answer. The row stays, so that later turns omit the message from their history. */
export const refuseTurn = (tx: Tx, turn: Turn): Promise<boolean> =>
  change(tx, turn, { ...UNCLAIMED, state: 'refused', review_item_id: null })

const UNCLAIMED = { claim: null, claimed_until: null }

export async function endTurn(tx: Tx, turn: Turn): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('assistant_turn')
    .where(({ and }) => and({ workspace_id: uuidOf('ws', turn.workspaceId), message_id: uuidOf('msg', turn.messageId) }))
    .where('claim', '=', turn.claim)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Returns false if another worker has the turn, or it was deleted with its message: the caller discards its result. */
async function change(db: Db, turn: Turn, fields: Updateable<Schema['assistant_turn']>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('assistant_turn')
    .set(fields)
    .where(({ and }) => and({ workspace_id: uuidOf('ws', turn.workspaceId), message_id: uuidOf('msg', turn.messageId) }))
    .where('claim', '=', turn.claim)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
