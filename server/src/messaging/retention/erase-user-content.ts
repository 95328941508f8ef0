import { sql } from 'kysely'
import type { Db, Tx } from '../../db/database.ts'
import { inTransaction } from '../../db/retried-transaction.ts'
import { canonicalJson } from '../../lib/canonical-json.ts'
import { newUuid, toId } from '../../lib/id.ts'
import { withdrawReviews } from '../../review/message-review-store.ts'
import { ERASED_RESPONSE } from '../api/erase-responses.ts'
import { findMemberIds } from '../conversations/conversation-members.ts'
import { deleteConversation } from '../conversations/delete-conversation.ts'
import { markReadAfterDeparture } from '../conversations/read-marker.ts'
import { eraseEvents } from '../events/erase-events.ts'
import { uuidOf } from '../ids.ts'
import { MESSAGE_COLUMNS, toMessage } from '../messages/message.ts'
import { emitMessageUpdated } from '../messages/message-store.ts'
import { findContacts } from '../people/contact-store.ts'
import { deleteInBatches } from './delete-expired-messages.ts'
import type { Erasure } from './erase-user.ts'

const BATCH = 200
/** What was on its way when a user was erased has arrived by then. */
const ON_ITS_WAY_MS = 60_000

/**
 * Erases what an erased user has left: messages with their files, reactions, uploads, places in conversations, and what
 * reviewers see. In small steps that can be repeated, so that it may end anywhere and go on later.
 */
export async function eraseUserContent(db: Db, erasure: Erasure, now: Date): Promise<void> {
  const { workspaceId, userId, erasedAt } = erasure
  await leaveConversations(db, erasure, now)
  await eraseMessages(db, erasure, now)
  await eraseReactions(db, erasure)
  await inTransaction(db, async (tx) => {
    await withdrawReviews(tx, workspaceId, { userId, until: erasedAt }, now)
    await forgetHeld(tx, erasure)
    await eraseUploads(tx, erasure, now)
    await forgetAnswers(tx, erasure)
    await tx
      .updateTable('conversation')
      .set({ created_by: erasedId() })
      .where('workspace_id', '=', uuidOf('ws', workspaceId))
      .where('created_by', '=', userId)
      .where('created_at', '<=', erasedAt)
      .execute()
  })
}

/** Instead of an id that must stand nowhere any more. */
const erasedId = (): string => `erased-${newUuid()}`

/** Erases once more, and for the last time, what users left who were erased a while ago; answers how many users. */
export async function finishErasures(db: Db, now: Date): Promise<number> {
  const due = await db
    .selectFrom('user_erasure')
    .selectAll()
    .where('erased_at', '<', new Date(now.getTime() - ON_ITS_WAY_MS))
    .limit(BATCH)
    .execute()
  for (const { workspace_id, user_id, erased_at } of due) {
    await eraseUserContent(db, { workspaceId: toId('ws', workspace_id), userId: user_id, erasedAt: erased_at }, now)
    await db
      .deleteFrom('user_erasure')
      .where('workspace_id', '=', workspace_id)
      .where('user_id', '=', user_id)
      .where('erased_at', '=', erased_at)
      .execute()
  }
  return due.length
}

async function leaveConversations(db: Db, { workspaceId, userId, erasedAt }: Erasure, now: Date): Promise<void> {
  const rows = await db
    .selectFrom('conversation_member as membership')
    .innerJoin('conversation', 'conversation.id', 'membership.conversation_id')
    .select(['conversation.id', 'group_id'])
    .where('membership.workspace_id', '=', uuidOf('ws', workspaceId))
    .where('membership.user_id', '=', userId)
    .where('conversation.created_at', '<=', erasedAt)
    .orderBy('conversation.id')
    .execute()
  for (const { id, group_id } of rows) {
    await inTransaction(db, async (tx) => {
      await tx.selectFrom('conversation').select('id').where('id', '=', id).forUpdate().execute()
      if (group_id === null) await leaveDirect(tx, workspaceId, id, userId, now)
      // Groups have been left before: only who joined one just then.
      else await leave(tx, workspaceId, id, userId, now)
    })
  }
}

/** Who is left keeps their own messages, and no longer sees with whom it was; nobody left but assistants: it is deleted. */
async function leaveDirect(tx: Tx, workspaceId: string, uuid: string, userId: string, now: Date): Promise<void> {
  const id = toId('conv', uuid)
  const others = (await findMemberIds(tx, workspaceId, id)).filter((each) => each !== userId)
  const contacts = await findContacts(tx, workspaceId, others)
  const [person] = others.filter((each) => contacts.get(each)?.applicationId === null)
  if (person === undefined) return deleteConversation(tx, workspaceId, id, now)
  await leave(tx, workspaceId, uuid, userId, now)
  await tx
    .updateTable('conversation')
    .set({ direct_key: canonicalJson([person, erasedId()].toSorted()) })
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('id', '=', uuid)
    .execute()
  await eraseEvents(tx, workspaceId, { objectIds: [id] })
}

async function leave(tx: Tx, workspaceId: string, uuid: string, userId: string, now: Date): Promise<void> {
  const left = await tx
    .deleteFrom('conversation_member')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('conversation_id', '=', uuid)
    .where('user_id', '=', userId)
    .returning('read_sequence')
    .executeTakeFirst()
  if (left)
    await markReadAfterDeparture(tx, workspaceId, [{ conversationId: toId('conv', uuid), readSequence: left.read_sequence }], now)
}

function eraseMessages(db: Db, { workspaceId, userId, erasedAt }: Erasure, now: Date): Promise<number> {
  const own = db
    .selectFrom('message')
    .select(['id', 'conversation_id', 'workspace_id'])
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('sender_id', '=', userId)
    .where('created_at', '<=', erasedAt)
    .limit(BATCH)
  return deleteInBatches(db, () => own.execute(), now)
}

async function eraseReactions(db: Db, { workspaceId, userId, erasedAt }: Erasure): Promise<void> {
  const workspace = uuidOf('ws', workspaceId)
  const own = db
    .selectFrom('message_reaction')
    .where('workspace_id', '=', workspace)
    .where('user_id', '=', userId)
    .where('created_at', '<=', erasedAt)
  for (;;) {
    const found = await own.select('message_id').distinct().limit(BATCH).execute()
    if (found.length === 0) return
    for (const { message_id } of found) await inTransaction(db, (tx) => eraseReactionsTo(tx, message_id))
  }

  async function eraseReactionsTo(tx: Tx, uuid: string): Promise<void> {
    const row = await tx
      .selectFrom('message')
      .select(MESSAGE_COLUMNS)
      .where('message.id', '=', uuid)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!row) return
    const message = toMessage(row)
    await tx
      .deleteFrom('message_reaction')
      .where('workspace_id', '=', workspace)
      .where('message_id', '=', uuid)
      .where('user_id', '=', userId)
      .where('created_at', '<=', erasedAt)
      .execute()
    await eraseEvents(tx, workspaceId, { objectIds: [message.id] })
    await emitMessageUpdated(tx, message, undefined)
  }
}

async function forgetHeld(tx: Tx, { workspaceId, userId, erasedAt }: Erasure): Promise<void> {
  await tx
    .deleteFrom('held_message')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('sender_id', '=', userId)
    .where('created_at', '<=', erasedAt)
    .execute()
}

/** What was uploaded and not sent. */
async function eraseUploads(tx: Tx, { workspaceId, userId, erasedAt }: Erasure, now: Date): Promise<void> {
  await sql`
    with gone as (
      delete from message_attachment
      where workspace_id = ${uuidOf('ws', workspaceId)} and uploaded_by = ${userId} and created_at <= ${erasedAt}
      returning place
    )
    insert into removed_file (place, removed_at) select place, ${now} from gone on conflict do nothing`.execute(tx)
}

/** Answers that are kept for repeated requests, the user's own and those that tell others of the user. */
async function forgetAnswers(tx: Tx, { workspaceId, userId, erasedAt }: Erasure): Promise<void> {
  const kept = { workspace: uuidOf('ws', workspaceId), inBody: sql<boolean>`position(${JSON.stringify(userId)} in body) > 0` }
  await tx
    .deleteFrom('idempotency_key')
    .where('workspace_id', '=', kept.workspace)
    .where('created_at', '<=', erasedAt)
    .where('user_id', '=', userId)
    .execute()
  // Others may repeat their requests, and must not do them a second time.
  await tx
    .updateTable('idempotency_key')
    .set(ERASED_RESPONSE)
    .where('workspace_id', '=', kept.workspace)
    .where('created_at', '<=', erasedAt)
    .where(kept.inBody)
    .execute()
}
