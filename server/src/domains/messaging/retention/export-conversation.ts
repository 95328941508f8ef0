import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { type CountedConversation, conversationView } from '../conversations/conversation.ts'
import { MESSAGE_COLUMNS, toMessage } from '../messages/message.ts'
import { messagesOf } from '../messages/message-store.ts'
import { loadMessageViews } from '../messages/message-views.ts'
import type { Member } from '../people/member.ts'

const BATCH = 200

/**
 * A conversation as JSON lines: the conversation, then its messages until now, oldest first. Reads the next batch when the client has
 * received the previous one, and ends if the member has left the conversation.
 */
export async function* exportLines(
  db: Db,
  member: Member,
  conversation: CountedConversation,
  base: string,
): AsyncGenerator<string> {
  yield lineOf(conversationView(conversation))
  for (let after = 0; after < conversation.lastSequence; ) {
    const rows = await messagesOf(db, member)
      .select(MESSAGE_COLUMNS)
      .where('message.conversation_id', '=', uuidOf('conv', conversation.id))
      .where('sequence', '>', after)
      .where('sequence', '<=', conversation.lastSequence)
      .orderBy('sequence')
      .limit(BATCH)
      .execute()
    const last = rows.at(-1)
    if (!last) return
    after = last.sequence
    const views = await loadMessageViews(db, member.workspaceId, rows.map(toMessage), base)
    yield views.map(lineOf).join('')
  }
}

const lineOf = (value: unknown): string => `${JSON.stringify(value)}\n`
