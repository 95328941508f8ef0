import { isDeepStrictEqual } from 'node:util'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { currentTraceparent } from '../../../platform/lib/trace-context.ts'
import type { User } from '../../../shared/principal.ts'
import { findUser } from '../../identity/user-store.ts'
import type { Member } from '../people/member.ts'

/** Topic of platform/db/signal.ts: a turn is due. The key is the id of the message. */
export const ASSISTANTS_TOPIC = 'assistants'

export interface StoredMessage {
  readonly id: string
  readonly conversationId: string
  readonly sender: Member
  readonly text: string
  readonly isGroup: boolean
  /** Turns of a conversation are taken in this order. */
  readonly createdAt: Date
}

/** Returns whether an assistant must answer: the other member, or the first one that is mentioned in a group. */
export async function enqueueTurn(tx: Tx, message: StoredMessage): Promise<boolean> {
  if (message.isGroup && !message.text.includes('@')) return false
  const assistants = await assistantsIn(tx, message)
  if (assistants.some(({ id }) => id === message.sender.user.id)) return false
  const assistant = message.isGroup ? findFirstMentioned(message.text, assistants) : assistants[0]
  if (!assistant) return false
  const author = await senderClaims(tx, message.sender)
  await tx
    .insertInto('assistant_turn')
    .values({
      message_id: uuidOf('msg', message.id),
      workspace_id: uuidOf('ws', message.sender.workspaceId),
      conversation_id: uuidOf('conv', message.conversationId),
      assistant_id: assistant.id,
      author: author && JSON.stringify(author),
      state: 'waiting',
      attempts: 0,
      claim: null,
      claimed_until: null,
      review_item_id: null,
      traceparent: currentTraceparent(),
      created_at: message.createdAt,
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

/** The sender as the token describes it, if that differs from the stored user; null: the turn reads the stored user. */
async function senderClaims(tx: Tx, { workspaceId, user }: Member): Promise<User | null> {
  const stored = await findUser(tx, workspaceId, user.id)
  if (!stored) return user
  const { id, role, department, attributes } = stored
  return isDeepStrictEqual(user, { id, role, department, attributes, verified: true }) ? null : user
}

/** Before the `@` or after the name, such a character means that it is no mention: `ann@example.com` is an address. */
const WORD_CHARACTER = /[\p{L}\p{N}_@-]/u

interface Mentionable {
  readonly username: string
}

/** The candidate that is mentioned first as `@username`, in any case. If two names match at one place, the longer one counts. */
export function findFirstMentioned<T extends Mentionable>(text: string, candidates: readonly T[]): T | undefined {
  const lower = text.toLowerCase()
  const mentions = candidates.flatMap((candidate) => {
    const name = candidate.username.toLowerCase()
    const at = indexOfMention(lower, `@${name}`)
    return at < 0 ? [] : [{ at, length: name.length, candidate }]
  })
  mentions.sort((a, b) => a.at - b.at || b.length - a.length)
  return mentions[0]?.candidate
}

function indexOfMention(text: string, mention: string): number {
  for (let at = text.indexOf(mention); at >= 0; at = text.indexOf(mention, at + 1)) {
    // A letter outside the basic plane has two code units.
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
    const [after = ''] = text.slice(at + mention.length, at + mention.length + 2)
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return at
  }
  return -1
}
