import { sql } from 'kysely'
import { TrustedCaller } from '../../../pipeline/callers.ts'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { ChatMessage } from '../../../shared/message.ts'
import type { Application } from '../../../shared/principal.ts'
import { estimateTokens } from '../../../shared/tokens.ts'
import { findApplication } from '../../identity/application-store.ts'
import type { TextPlace } from '../governance/text-decision.ts'
import type { Member } from '../people/member.ts'
import type { Turn } from './turn-store.ts'

/** With more readers, the assistant answers without knowledge and memory: the permissions of so many users are not evaluated. */
const MAX_READERS = 100

export interface TurnContext {
  readonly question: HistoryMessage
  readonly assistant: Member
  readonly place: TextPlace
  /** The Application, acting for the author of the question. All members read the answer, so what it contains must be visible to all. */
  readonly caller: TrustedCaller
  readonly members: readonly string[]
}

/** Undefined if the message, its author, the assistant or its Application was deleted, or the author or assistant has left. */
export async function loadTurnContext(db: Db, turn: Turn): Promise<TurnContext | undefined> {
  const { workspaceId, assistantId, messageId } = turn
  const question = await findQuestion(db, turn)
  const members = await membersOf(db, turn)
  const assistant = members.find(({ user }) => user.id === assistantId)
  const application = assistant?.applicationId && (await findApplication(db, workspaceId, assistant.applicationId))
  const users = members.filter(({ applicationId }) => applicationId === null).map(({ user }) => user)
  const user = turn.author ?? users.find(({ id }) => id === question?.senderId)
  if (!question || !assistant || !application || !user) return undefined
  const others = users.filter(({ id }) => id !== user.id)
  const caller =
    others.length < MAX_READERS
      ? new TrustedCaller({ application, user, messageId, readers: [user, ...others] })
      : new TrustedCaller({ application: withoutKnowledge(application), user, messageId })
  return {
    question,
    assistant: { workspaceId, user: assistant.user },
    place: { id: turn.conversationId, groupId: assistant.groupId },
    caller,
    members: members.map((each) => each.user.id),
  }
}

async function membersOf(db: Db, { workspaceId, conversationId }: Turn) {
  const rows = await db
    .selectFrom('conversation_member as member')
    .innerJoin('conversation', 'conversation.id', 'member.conversation_id')
    .innerJoin('workspace_user as user', (join) =>
      join.onRef('user.workspace_id', '=', 'member.workspace_id').onRef('user.id', '=', 'member.user_id'),
    )
    .leftJoin('contact_profile as profile', (join) =>
      join.onRef('profile.workspace_id', '=', 'member.workspace_id').onRef('profile.user_id', '=', 'member.user_id'),
    )
    .where('member.workspace_id', '=', uuidOf('ws', workspaceId))
    .where('member.conversation_id', '=', uuidOf('conv', conversationId))
    .select(['user.id', 'role', 'department', 'attributes', 'application_id', 'group_id'])
    .orderBy('user.id')
    .execute()
  return rows.map(({ application_id, group_id, ...user }) => ({
    user: { ...user, verified: true },
    applicationId: application_id && toId('app', application_id),
    groupId: group_id && toId('grp', group_id),
  }))
}

const withoutKnowledge = (application: Application): Application => ({
  ...application,
  settings: {
    ...application.settings,
    knowledge: { ...application.settings.knowledge, enabled: false },
    memory: { ...application.settings.memory, enabled: false },
  },
})

const HISTORY_TOKENS = 4_000
const HISTORY_MESSAGES = 50
/** An answer belongs to the history if at most this many messages separate it from its question. */
const MAX_ANSWER_DISTANCE = 200

interface HistoryMessage {
  readonly senderId: string
  readonly username: string
  readonly text: string
}

/** The message that the turn answers. Undefined if it was deleted, or its author has left the conversation. */
async function findQuestion(db: Db, turn: Turn): Promise<HistoryMessage | undefined> {
  const { rows } = await sql<HistoryMessage>`
    select message.sender_id as "senderId", author.username, message.text
    from message
    join workspace_user author on author.workspace_id = message.workspace_id and author.id = message.sender_id
    join conversation_member member
      on member.conversation_id = message.conversation_id and member.user_id = message.sender_id
    where message.workspace_id = ${uuidOf('ws', turn.workspaceId)} and message.id = ${uuidOf('msg', turn.messageId)}`.execute(db)
  return rows[0]
}

/** Messages before the question with their answers, oldest first. Held and refused ones would make policies refuse again. */
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

/** The question, and before it as much history as HISTORY_TOKENS allows. In a group, a user's message begins with the username. */
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
