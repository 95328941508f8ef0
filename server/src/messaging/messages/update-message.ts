import type { Tx } from '../../db/database.ts'
import type { GovernedString } from '../../domain/governed.ts'
import { forbidden, notFound } from '../../http/refusals.ts'
import { eraseResponsesAbout } from '../api/idempotency-store.ts'
import type { Member } from '../api/member.ts'
import { findMemberIds } from '../conversations/conversation-members.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import { type GovernedText, governText, governWithoutHold } from '../governance/governed-text.ts'
import { HeldText } from '../governance/held-text.ts'
import type { TextSubmission } from '../governance/text-submission.ts'
import type { MessagingDeps } from '../messaging-deps.ts'
import type { Message } from './message.ts'
import { attachToMessage, findAttachmentIds, findFilenames, removeOtherFiles, renameFiles } from './message-files.ts'
import { emitMessageUpdated, findMessage, lockMessage, replaceText } from './message-store.ts'
import { type GovernedReaction, type Reaction, replaceReactions } from './reaction-store.ts'

/** What of a message is to change; undefined: stays. */
export interface Update {
  readonly text?: string | undefined
  /** `att_…`: all that it is to carry. */
  readonly attachments?: readonly string[] | undefined
  /** All that the caller gives. */
  readonly reactions?: readonly Reaction[] | undefined
}

/** An update that policies have looked at. */
export interface PreparedUpdate {
  readonly text?: GovernedText | HeldText | undefined
  readonly attachments?: { readonly ids: readonly string[]; readonly governed: GovernedText | undefined } | undefined
  readonly reactions?: { readonly wanted: readonly GovernedReaction[]; readonly governed: GovernedText } | undefined
}

/** Asks the policies about an update. Throws NOT_FOUND, FORBIDDEN for what only the sender may, and POLICY_DENIED. */
export async function prepareUpdate(
  deps: MessagingDeps,
  member: Member,
  id: string,
  { text, attachments, reactions }: Update,
  now: Date,
): Promise<PreparedUpdate> {
  const message = await findMessage(deps.db, member, id)
  const place = message && (await findConversation(deps.db, member, message.conversationId))
  if (!message || !place) throw notFound('message')
  if ((text !== undefined || attachments !== undefined) && message.senderId !== member.user.id) {
    throw forbidden('Only its sender changes a message and its attachments.')
  }
  const about = (texts: readonly string[], change: TextSubmission['change']): TextSubmission => ({
    workspaceId: member.workspaceId,
    sender: member.user,
    place,
    messageId: id,
    change,
    texts,
    now,
  })
  const names = await findFilenames(deps.db, member, attachments ?? [], id)
  return {
    text: text === undefined ? undefined : await governText(about([text, ...names], 'update'), deps),
    attachments: attachments && {
      ids: attachments,
      // With a text they are looked at together.
      governed: text === undefined && names.length > 0 ? await governWithoutHold(about(names, 'update'), deps) : undefined,
    },
    reactions: reactions && (await governReactions(deps, member, about([], 'react'), reactions)),
  }
}

/** Names and texts are somebody's words; the ids of members are not. */
async function governReactions(deps: MessagingDeps, member: Member, about: TextSubmission, reactions: readonly Reaction[]) {
  const members = new Set(await findMemberIds(deps.db, member.workspaceId, about.place.id))
  const words = [...new Set(reactions.flatMap(({ name, value }) => (members.has(value) ? [name] : [name, value])))]
  const governed = await governWithoutHold({ ...about, texts: words }, deps)
  const said = new Map(words.map((word, index) => [word, governed.texts[index]]))
  const idOf = (value: string) => governed.unchanged(value, members)
  const wanted = reactions.flatMap(({ name, value }): GovernedReaction[] => {
    const [word, text] = [said.get(name), said.get(value) ?? idOf(value)]
    return word === undefined || text === undefined ? [] : [{ name: word, value: text }]
  })
  return { wanted, governed }
}

/** The caller reacts with one name. */
export async function prepareReaction(deps: MessagingDeps, member: Member, id: string, name: string, now: Date) {
  const { reactions } = await prepareUpdate(deps, member, id, { reactions: [{ name, value: member.user.id }] }, now)
  if (!reactions) throw new Error('a reaction was not prepared')
  const [first] = reactions.wanted
  if (!first) throw new Error('a reaction has no name')
  return { name: first.name, governed: reactions.governed }
}

export type Updated =
  | { readonly kind: 'updated'; readonly message: Message }
  | { readonly kind: 'held'; readonly reviewItemId: string; readonly auditId: string }

/** Carries an update out, or puts its text before the reviewers: then nothing of it is done. Last in its transaction. */
export async function updateMessage(tx: Tx, member: Member, id: string, ready: PreparedUpdate, now: Date): Promise<Updated> {
  const message = await lockMessage(tx, member, id)
  if (!message) throw notFound('message')
  const { text, attachments, reactions } = ready
  if (text instanceof HeldText) return { kind: 'held', ...(await text.open(tx, attachments?.ids ?? null)) }
  if (text) await replaceText(tx, message, text)
  if (attachments)
    await replaceFiles(tx, member, id, attachments.ids, text ? text.texts.slice(1) : (attachments.governed?.texts ?? []), now)
  if (reactions) {
    const members = await findMemberIds(tx, member.workspaceId, message.conversationId)
    await replaceReactions(tx, member, message, reactions.wanted, members, now)
  }
  const updated = await emitMessageUpdated(tx, message, now)
  for (const governed of [text, attachments?.governed, reactions?.governed]) await governed?.settle(tx)
  return { kind: 'updated', message: updated }
}

/** Makes these the files of the message, under these names: what it carries already stays, in its place. */
export async function replaceFiles(
  tx: Tx,
  member: Member,
  messageId: string,
  ids: readonly string[],
  names: readonly GovernedString[],
  now: Date,
): Promise<void> {
  const before = await findAttachmentIds(tx, messageId)
  await removeOtherFiles(tx, messageId, ids, now)
  await eraseResponsesAbout(
    tx,
    member.workspaceId,
    before.filter((id) => !ids.includes(id)),
  )
  const carried = await findAttachmentIds(tx, messageId)
  const added = ids.filter((id) => !carried.includes(id))
  if (added.length > 0) await attachToMessage(tx, member, messageId, added)
  await renameFiles(tx, member.workspaceId, ids, names)
}
