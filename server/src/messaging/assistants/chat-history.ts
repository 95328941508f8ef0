import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { ChatMessage } from '../../domain/message.ts'
import { estimateTokens } from '../../domain/tokens.ts'
import { uuidOf } from '../ids.ts'
import type { Turn } from './turn-store.ts'

/** How much of what was said before an assistant is told. */
const HISTORY_TOKENS = 4_000
const HISTORY_MESSAGES = 50
/** So many later messages may stand between a message and its answer for the answer to be found. */
const LATEST_ANSWER = 200

/** What was said, by whom. */
export interface HistoryMessage {
  readonly senderId: string
  readonly username: string
  readonly text: string
}

/** The message that is to be answered. Undefined when it is gone, or its author is no longer in the conversation. */
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
 * What was said before a message, oldest first: answers stand with what they answer, even where others have spoken in between.
 * What was refused, or waits for a reviewer, is left out, so that it does not hold up whatever is asked afterwards.
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
    where message.sequence < asked.sequence + ${LATEST_ANSWER} and coalesce(question.sequence, message.sequence) < asked.sequence
      and not exists (
        select from assistant_turn unanswered
        where unanswered.message_id in (message.id, message.reply_to) and unanswered.state in ('held', 'refused')
      )
    order by message.sequence desc
    limit ${HISTORY_MESSAGES}`.execute(db)
  return rows.reverse()
}

/**
 * The conversation as a model reads it. In a group everybody's messages begin with who they are from. As much of the past as the
 * budget allows; the question is always there.
 */
export function chatMessages(
  before: readonly HistoryMessage[],
  question: HistoryMessage,
  { assistantId, isGroup }: { readonly assistantId: string; readonly isGroup: boolean },
): ChatMessage[] {
  const told = ({ senderId, username, text }: HistoryMessage): ChatMessage =>
    senderId === assistantId
      ? { role: 'assistant', content: text }
      : { role: 'user', content: isGroup ? `${username}: ${text}` : text }
  const messages = [told(question)]
  let left = HISTORY_TOKENS
  for (const message of before.toReversed().map(told)) {
    left -= estimateTokens([String(message.content)])
    if (left < 0) break
    messages.unshift(message)
  }
  return messages
}
