import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import type { User } from '../../domain/principal.ts'
import { newUuid, toId } from '../../lib/id.ts'
import { uuidOf } from '../ids.ts'

/** A message that waits for an assistant's answer, claimed by one who works on it. Ids are TypeIDs but for users'. */
export interface Turn {
  /** `msg_…`: the message, and nothing else is answered with its answer. */
  readonly messageId: string
  readonly workspaceId: string
  /** `conv_…` */
  readonly conversationId: string
  readonly assistantId: string
  /** What the author's own token said of them; null: as the directory has them. */
  readonly author: User | null
  /** How often it has been taken up, this time included; waiting for its turn or for a reviewer does not count. */
  readonly attempts: number
  /** `rev_…`: what a reviewer has decided on in the meantime. */
  readonly reviewItemId: string | null
  readonly createdAt: Date
  /** Of the request that brought the message; null: it had none. */
  readonly traceparent: string | null
  /** By which its store functions know that it is still this worker's. */
  readonly claim: string
}

interface Row {
  readonly message_id: string
  readonly workspace_id: string
  readonly conversation_id: string
  readonly assistant_id: string
  readonly author: User | null
  readonly attempts: number
  readonly review_item_id: string | null
  readonly created_at: Date
  readonly traceparent: string | null
  readonly claim: string
}

/** Neither a claim nor a pause is longer. One that ends later was set before the clock was set back, and is over. */
const LONGEST_CLAIM_MS = 15 * 60_000

/**
 * The oldest turn that nobody works on, for `leaseMs`; renew it while it takes longer. Turns of one assistant in one
 * conversation are taken one after the other, one that waits for a reviewer once that has decided, or its time is up.
 */
export async function claimTurn(db: Db, now: Date, leaseMs: number): Promise<Turn | undefined> {
  const { rows } = await sql<Row>`
    update assistant_turn set attempts = attempts + 1, claim = ${newUuid()}, claimed_until = ${new Date(now.getTime() + leaseMs)}
    where message_id = (
      select turn.message_id
      from assistant_turn turn left join review_item item on item.id = turn.review_item_id
      where (turn.claimed_until is null or turn.claimed_until <= ${now}
        or turn.claimed_until > ${new Date(now.getTime() + LONGEST_CLAIM_MS)}) and (
        (turn.state = 'held' and (item.id is null or item.state <> 'pending' or item.expires_at <= ${now}))
        or (turn.state = 'waiting' and not exists (
          select from assistant_turn earlier
          where earlier.conversation_id = turn.conversation_id and earlier.assistant_id = turn.assistant_id
            and earlier.state = 'waiting'
            and (earlier.created_at, earlier.message_id) < (turn.created_at, turn.message_id)
        ))
      )
      order by turn.created_at, turn.message_id
      limit 1
      for update of turn skip locked
    )
    returning message_id, workspace_id, conversation_id, assistant_id, author, attempts, review_item_id, created_at, traceparent, claim`.execute(
    db,
  )
  const [row] = rows
  return row && turnOf(row)
}

const turnOf = (row: Row): Turn => ({
  messageId: toId('msg', row.message_id),
  workspaceId: toId('ws', row.workspace_id),
  conversationId: toId('conv', row.conversation_id),
  assistantId: row.assistant_id,
  author: row.author,
  attempts: row.attempts,
  reviewItemId: row.review_item_id && toId('rev', row.review_item_id),
  createdAt: row.created_at,
  traceparent: row.traceparent,
  claim: row.claim,
})

/** Works on it until then. False as below. */
export const renewClaim = (db: Db, turn: Turn, until: Date): Promise<boolean> => change(db, turn, { claimed_until: until })

/** Gives the turn back, for another try not before `until`. */
export const postponeTurn = (db: Db, turn: Turn, until: Date, { failed }: { readonly failed: boolean }): Promise<boolean> =>
  change(db, turn, { claim: null, claimed_until: until, ...(!failed && { attempts: turn.attempts - 1 }) })

/** The turn waits for a reviewer. */
export const holdTurn = (tx: Tx, turn: Turn, reviewItemId: string): Promise<boolean> =>
  change(tx, turn, { ...UNCLAIMED, state: 'held', review_item_id: uuidOf('rev', reviewItemId), attempts: 0 })

/** There is no answer, and what was asked is not shown to the assistant again. */
export const refuseTurn = (tx: Tx, turn: Turn): Promise<boolean> =>
  change(tx, turn, { ...UNCLAIMED, state: 'refused', review_item_id: null })

const UNCLAIMED = { claim: null, claimed_until: null }

/** It is answered. */
export async function endTurn(tx: Tx, turn: Turn): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('assistant_turn')
    .where('workspace_id', '=', uuidOf('ws', turn.workspaceId))
    .where('message_id', '=', uuidOf('msg', turn.messageId))
    .where('claim', '=', turn.claim)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

interface Change {
  readonly state?: 'held' | 'refused'
  readonly claim?: null
  readonly claimed_until: Date | null
  readonly attempts?: number
  readonly review_item_id?: string | null
}

/** False when the turn is no longer this worker's, or gone with its message: whatever was made of it is nobody's. */
async function change(db: Db, turn: Turn, fields: Change): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('assistant_turn')
    .set(fields)
    .where('workspace_id', '=', uuidOf('ws', turn.workspaceId))
    .where('message_id', '=', uuidOf('msg', turn.messageId))
    .where('claim', '=', turn.claim)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}
