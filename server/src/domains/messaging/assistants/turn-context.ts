import { TrustedCaller } from '../../../pipeline/callers.ts'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { Application, User } from '../../../shared/principal.ts'
import { findApplication } from '../../identity/application-store.ts'
import { findUser } from '../../identity/user-store.ts'
import type { TextPlace } from '../governance/text-submission.ts'
import { findContact } from '../people/contact-store.ts'
import type { Member } from '../people/member.ts'
import { findQuestion, type HistoryMessage } from './chat-history.ts'
import type { Turn } from './turn-store.ts'

/** With more readers, the assistant answers without knowledge and memory: the permissions of so many users are not evaluated. */
const MAX_READERS = 100

/** The current data that a turn needs. */
export interface TurnContext {
  readonly question: HistoryMessage
  readonly assistant: Member
  readonly place: TextPlace
  /** The Application, acting for the author of the question. All members read the answer, so what it contains must be visible to all. */
  readonly caller: TrustedCaller
  /** User ids of the members of the conversation. */
  readonly members: readonly string[]
}

/** Undefined if the message, its author, the assistant or its Application was deleted, or the author or assistant has left. */
export async function loadTurnContext(db: Db, turn: Turn): Promise<TurnContext | undefined> {
  const { workspaceId, assistantId, messageId } = turn
  const question = await findQuestion(db, turn)
  const contact = await findContact(db, workspaceId, assistantId)
  const assistant = await findUser(db, workspaceId, assistantId)
  const application = contact?.applicationId && (await findApplication(db, workspaceId, contact.applicationId))
  if (!question || !assistant || !application) return undefined
  const members = await membersOf(db, turn)
  const users = members.filter(({ isAssistant }) => !isAssistant).map(({ user }) => user)
  const user = turn.author ?? users.find(({ id }) => id === question.senderId)
  if (!user || !members.some(({ user: { id } }) => id === assistantId)) return undefined
  const others = users.filter(({ id }) => id !== user.id)
  const caller =
    others.length < MAX_READERS
      ? new TrustedCaller({ application, user, messageId, readers: [user, ...others] })
      : new TrustedCaller({ application: withoutKnowledge(application), user, messageId })
  const { id, role, department, attributes } = assistant
  return {
    question,
    assistant: { workspaceId, user: { id, role, department, attributes, verified: true } },
    place: { id: turn.conversationId, groupId: members[0]?.groupId ?? null },
    caller,
    members: members.map((each) => each.user.id),
  }
}

interface ConversationMember {
  readonly user: User
  readonly isAssistant: boolean
  readonly groupId: string | null
}

async function membersOf(db: Db, { workspaceId, conversationId }: Turn): Promise<ConversationMember[]> {
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
    isAssistant: application_id !== null,
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
