import { isDeepStrictEqual } from 'node:util'
import type { Db, Tx } from '../../db/database.ts'
import type { User } from '../../domain/principal.ts'
import { findUser } from '../../identity/user-store.ts'
import { currentTraceparent } from '../../lib/trace-context.ts'
import type { Member } from '../api/member.ts'
import { uuidOf } from '../ids.ts'
import { findFirstMentioned } from './mentions.ts'

/** Topic of db/signal.ts: a turn is due. The key is the message's id. */
export const ASSISTANTS_TOPIC = 'assistants'

/** A message that has just been stored. */
export interface StoredMessage {
  /** `msg_…` */
  readonly id: string
  /** `conv_…` */
  readonly conversationId: string
  readonly sender: Member
  readonly text: string
  readonly isGroup: boolean
  /** When it was stored: turns are taken in this order. */
  readonly createdAt: Date
}

/**
 * Enqueues the turn of the assistant that must answer a message, in the transaction that stores the message: in a direct conversation
 * the other member, in a group the first assistant mentioned. Messages of assistants are never answered. True: publish ASSISTANTS_TOPIC
 * after the commit; without it the answer comes a moment later.
 */
export async function enqueueTurn(tx: Tx, said: StoredMessage): Promise<boolean> {
  if (said.isGroup && !said.text.includes('@')) return false
  const assistants = await assistantsIn(tx, said)
  if (assistants.some(({ id }) => id === said.sender.user.id)) return false
  const asked = said.isGroup ? findFirstMentioned(said.text, assistants) : assistants[0]
  if (!asked) return false
  const author = await claimsOf(tx, said.sender)
  await tx
    .insertInto('assistant_turn')
    .values({
      message_id: uuidOf('msg', said.id),
      workspace_id: uuidOf('ws', said.sender.workspaceId),
      conversation_id: uuidOf('conv', said.conversationId),
      assistant_id: asked.id,
      author: author && JSON.stringify(author),
      state: 'waiting',
      attempts: 0,
      claim: null,
      claimed_until: null,
      review_item_id: null,
      traceparent: currentTraceparent(),
      created_at: said.createdAt,
    })
    .execute()
  return true
}

const assistantsIn = (db: Db, { sender, conversationId }: StoredMessage): Promise<{ id: string; username: string }[]> =>
  db
    .selectFrom('conversation_member as member')
    .innerJoin('contact_profile as profile', (join) =>
      join.onRef('profile.workspace_id', '=', 'member.workspace_id').onRef('profile.user_id', '=', 'member.user_id'),
    )
    .innerJoin('workspace_user as user', (join) =>
      join.onRef('user.workspace_id', '=', 'member.workspace_id').onRef('user.id', '=', 'member.user_id'),
    )
    .where('member.workspace_id', '=', uuidOf('ws', sender.workspaceId))
    .where('member.conversation_id', '=', uuidOf('conv', conversationId))
    .where('profile.application_id', 'is not', null)
    .select(['user.id', 'user.username'])
    .execute()

/** The claims of the sender's token where they differ from the directory; null: the turn reads the directory when it is taken. */
async function claimsOf(tx: Tx, { workspaceId, user }: Member): Promise<User | null> {
  const { id, role, department, attributes } = user
  const known = await findUser(tx, workspaceId, id)
  const same = known && known.role === role && known.department === department
  return same && isDeepStrictEqual(known.attributes, attributes) ? null : user
}
