import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import type { ChatMessage } from '../../../shared/message.ts'
import { estimateTokens } from '../../../shared/tokens.ts'
import type { Turn } from './turn-store.ts'

/** Limits of the history that an assistant receives. */
const HISTORY_TOKENS = 4_000
const HISTORY_MESSAGES = 50
/** An answer belongs to the history if at most this many messages separate it from its question. */
const MAX_ANSWER_DISTANCE = 200

export interface HistoryMessage {
  readonly senderId: string
  readonly username: string
  readonly text: string
}

/** The message that the turn answers. Undefined if it was deleted, or its author has left the conversation. */
export async function findQuestion(db: Db, turn: Turn): Promise<HistoryMessage | undefined> {
  const { rows } = await sql<HistoryMessage>`
    select message.sender_id as "senderId", author.username, message.text
    from message
    join workspace_user author on author.workspace_id = message.workspace_id and author.id = message.sender_id
    join conversation_member member
      on member.conversation_id = message.conversation_id and member.user_id = message.sender_id
    where message.workspace_id = ${uuidOf('ws', turn.workspaceId)} and message.id = ${uuidOf('msg', turn.messageId)}`.execute(db)
  return rows[0]
}

/**
 * The messages before the turn's message, oldest first, and the answers to them, even if those were stored later. Refused and held
 * messages are omitted, so that policies do not refuse later requests because of them.
 */
export async function loadHistory(db: Db, turn: Turn): Promise<HistoryMessage[]> {
  const { rows } = await sql<HistoryMessage>`
    with asked as (
      select workspace_id, conversation_id, sequence from message
      where workspace_id = ${uuidOf('ws', turn.workspaceId)} and id = ${uuidOf('msg', turn.messageId)}
    )
    select message.sender_id as "senderId", coalesce(author.username, '') as username, message.text
    from asked
    join message on message.conversation_id = asked.conversation_id and message.workspace_id = asked.workspace_id
    left join workspace_user author on author.workspace_id = message.workspace_id and author.id = message.sender_id
    left join message question on question.id = message.reply_to
    where message.sequence < asked.sequence + ${MAX_ANSWER_DISTANCE} and coalesce(question.sequence, message.sequence) < asked.sequence
      and not exists (
        select from assistant_turn unanswered
        where unanswered.message_id in (message.id, message.reply_to) and unanswered.state in ('held', 'refused')
      )
    order by message.sequence desc
    limit ${HISTORY_MESSAGES}`.execute(db)
  return rows.reverse()
}

/**
 * The messages of the request to the model: the question, and before it as much of the history as HISTORY_TOKENS allow. In a group,
 * the messages of users begin with the username.
 */
export function toChatMessages(
  history: readonly HistoryMessage[],
  question: HistoryMessage,
  { assistantId, isGroup }: { readonly assistantId: string; readonly isGroup: boolean },
): ChatMessage[] {
  const toChatMessage = ({ senderId, username, text }: HistoryMessage): ChatMessage =>
    senderId === assistantId
      ? { role: 'assistant', content: text }
      : { role: 'user', content: isGroup ? `${username}: ${text}` : text }
  const messages = [toChatMessage(question)]
  let remaining = HISTORY_TOKENS
  for (const message of history.toReversed().map(toChatMessage)) {
    remaining -= estimateTokens([String(message.content)])
    if (remaining < 0) break
    messages.unshift(message)
  }
  return messages
}
