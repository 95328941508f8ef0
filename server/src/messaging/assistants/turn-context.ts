import type { Db } from '../../db/database.ts'
import type { Application, User } from '../../domain/principal.ts'
import { findApplication } from '../../identity/application-store.ts'
import { findUser } from '../../identity/user-store.ts'
import { toId } from '../../lib/id.ts'
import { TrustedCaller } from '../../pipeline/callers.ts'
import type { Member } from '../api/member.ts'
import type { TextPlace } from '../governance/text-submission.ts'
import { uuidOf } from '../ids.ts'
import { findContact } from '../people/contact-store.ts'
import { findQuestion, type HistoryMessage } from './chat-history.ts'
import type { Turn } from './turn-store.ts'

/** More readers than that, and what each of them may see is not worked out: the assistant answers without knowledge and memory. */
const MAX_READERS = 100

/** A turn, and who and what it takes: as the database has it now. */
export interface TurnContext {
  readonly question: HistoryMessage
  readonly assistant: Member
  readonly place: TextPlace
  /** The Application, in the name of the question's author, before everybody who will read the answer. */
  readonly caller: TrustedCaller
  /** Ids of those who are in the conversation. */
  readonly members: readonly string[]
}

/** Undefined when nobody can answer any more, or nobody waits for it: the message, its author or the assistant is gone. */
export async function loadTurnContext(db: Db, turn: Turn): Promise<TurnContext | undefined> {
  const { workspaceId, assistantId, messageId } = turn
  const question = await findQuestion(db, turn)
  const contact = await findContact(db, workspaceId, assistantId)
  const assistant = await findUser(db, workspaceId, assistantId)
  const application = contact?.applicationId && (await findApplication(db, workspaceId, contact.applicationId))
  if (!question || !assistant || !application) return undefined
  const present = await presentIn(db, turn)
  const people = present.filter(({ isAssistant }) => !isAssistant).map(({ user }) => user)
  const user = turn.author ?? people.find(({ id }) => id === question.senderId)
  if (!user || !present.some(({ user: { id } }) => id === assistantId)) return undefined
  const others = people.filter(({ id }) => id !== user.id)
  const caller =
    others.length < MAX_READERS
      ? new TrustedCaller({ application, user, messageId, readers: [user, ...others] })
      : new TrustedCaller({ application: withoutKnowledge(application), user, messageId })
  const { id, role, department, attributes } = assistant
  return {
    question,
    assistant: { workspaceId, user: { id, role, department, attributes, verified: true } },
    place: { id: turn.conversationId, groupId: present[0]?.groupId ?? null },
    caller,
    members: present.map(({ user: { id: member } }) => member),
  }
}

interface Present {
  readonly user: User
  readonly isAssistant: boolean
  readonly groupId: string | null
}

async function presentIn(db: Db, { workspaceId, conversationId }: Turn): Promise<Present[]> {
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
