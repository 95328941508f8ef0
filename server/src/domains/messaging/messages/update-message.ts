import type { Tx } from '../../../platform/db/database.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { forbidden, notFound, requireFound } from '../../../shared/refusals.ts'
import { findMemberIds } from '../conversations/conversation-members.ts'
import { findConversation } from '../conversations/conversation-store.ts'
import { type GovernedText, governText, governWithoutHold } from '../governance/governed-text.ts'
import { HeldText } from '../governance/held-text.ts'
import type { TextSubmission } from '../governance/text-submission.ts'
import { eraseResponsesAbout } from '../idempotency/erase-responses.ts'
import type { MessagingDeps } from '../messaging-deps.ts'
import type { Member } from '../people/member.ts'
import { readContents } from './file-contents.ts'
import type { Message } from './message.ts'
import { attachToMessage, findAttachmentIds, removeOtherFiles, renameFiles, requireSentFiles } from './message-files.ts'
import { emitMessageUpdated, findMessage, lockMessage, replaceText } from './message-store.ts'
import { type GovernedReaction, type Reaction, tooManyNames } from './reaction.ts'
import { replaceReactions } from './reaction-store.ts'

/** Changes of a message. Undefined fields stay unchanged. */
export interface MessageChanges {
  readonly text?: string | undefined
  /** `att_…` of all attachments after the change. */
  readonly attachments?: readonly string[] | undefined
  /** All reactions of the caller after the change. */
  readonly reactions?: readonly Reaction[] | undefined
}

/** Governed changes of a message. */
export interface PreparedUpdate {
  readonly text?: GovernedText | HeldText | undefined
  /** `governed`: the names and contents of files, if there is no text to govern them with. */
  readonly attachments?: { readonly ids: readonly string[]; readonly governed: GovernedText | undefined } | undefined
  readonly reactions?: GovernedReactions | undefined
}

interface GovernedReactions {
  readonly list: readonly GovernedReaction[]
  readonly governed: GovernedText
}

/** Governs changes of a message. Throws NOT_FOUND, POLICY_DENIED, or FORBIDDEN if the caller is not the sender. */
export async function prepareUpdate(
  deps: MessagingDeps,
  member: Member,
  id: string,
  { text, attachments, reactions }: MessageChanges,
  now: Date,
): Promise<PreparedUpdate> {
  const message = await findMessage(deps.db, member, id)
  const conversation = message && (await findConversation(deps.db, member, message.conversationId))
  if (!message || !conversation) throw notFound('message')
  if ((text !== undefined || attachments !== undefined) && message.senderId !== member.user.id) {
    throw forbidden('Only the sender can change the text and the attachments of a message.')
  }
  const submissionOf = (texts: readonly string[], change: TextSubmission['change']): TextSubmission => ({
    workspaceId: member.workspaceId,
    sender: member.user,
    place: conversation,
    messageId: id,
    change,
    texts,
    now,
  })
  const files = await requireSentFiles(deps.db, member, attachments ?? [], id)
  const filenames = files.map(({ filename }) => filename)
  const withFiles = (texts: readonly string[]): TextSubmission => ({
    ...submissionOf(texts, 'update'),
    readFiles: () => readContents(deps.files, files),
  })
  const governFiles = async () => (files.length === 0 ? undefined : governWithoutHold(withFiles(filenames), deps))
  return {
    text: text === undefined ? undefined : await governText(withFiles([text, ...filenames]), deps),
    attachments: attachments && { ids: attachments, governed: text === undefined ? await governFiles() : undefined },
    reactions: reactions && (await governReactions(deps, member, submissionOf([], 'react'), reactions)),
  }
}

/** Governs names and texts of reactions. Texts that are ids of members are not governed. */
async function governReactions(
  deps: MessagingDeps,
  member: Member,
  submission: TextSubmission,
  reactions: readonly Reaction[],
): Promise<GovernedReactions> {
  const memberIds = new Set(await findMemberIds(deps.db, member.workspaceId, submission.place.id))
  const texts = [...new Set(reactions.flatMap(({ name, value }) => (memberIds.has(value) ? [name] : [name, value])))]
  const governed = await governWithoutHold({ ...submission, texts }, deps)
  const governedByText = new Map(texts.map((text, index) => [text, governed.texts[index]]))
  const list = reactions.flatMap((reaction): GovernedReaction[] => {
    const name = governedByText.get(reaction.name)
    const value = governedByText.get(reaction.value) ?? governed.unchanged(reaction.value, memberIds)
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
  return { list, governed }
}

/** Governs one reaction that has the caller's id as its text. */
export async function prepareReaction(deps: MessagingDeps, member: Member, id: string, name: string, now: Date) {
  const { reactions } = await prepareUpdate(deps, member, id, { reactions: [{ name, value: member.user.id }] }, now)
  const [reaction] = reactions?.list ?? []
  if (!reactions || !reaction) throw new Error('A reaction was not governed')
  return { name: reaction.name, governed: reactions.governed }
}

export type UpdateResult =
  | { readonly kind: 'updated'; readonly message: Message }
  | { readonly kind: 'held'; readonly reviewItemId: string; readonly auditId: string }

/** Applies a prepared update, or opens its hold and changes nothing. Last in its transaction. */
export async function updateMessage(
  tx: Tx,
  member: Member,
  id: string,
  { text, attachments, reactions }: PreparedUpdate,
  now: Date,
): Promise<UpdateResult> {
  const message = requireFound(await lockMessage(tx, member, id), 'message')
  if (text instanceof HeldText) return { kind: 'held', ...(await text.open(tx, attachments?.ids ?? null)) }
  if (text) await replaceText(tx, message, text)
  if (attachments) {
    const filenames = text ? text.texts.slice(1) : (attachments.governed?.texts ?? [])
    await replaceFiles(tx, member, id, attachments.ids, filenames, now)
  }
  if (reactions) await applyReactions(tx, member, message, reactions.list, now)
  const updated = await emitMessageUpdated(tx, message, now)
  for (const governed of [text, attachments?.governed, reactions?.governed]) await governed?.settle(tx)
  return { kind: 'updated', message: updated }
}

async function applyReactions(tx: Tx, member: Member, message: Message, reactions: readonly GovernedReaction[], now: Date) {
  const memberIds = await findMemberIds(tx, member.workspaceId, message.conversationId)
  const result = await replaceReactions(tx, member, message, reactions, memberIds, now)
  if (result === 'too_many_names') throw tooManyNames()
  if (result === 'foreign_member')
    throw forbidden('A member can only react in their own name. Remove the ids of other members.', { param: 'reactions' })
}

/** Replaces the files of a message. `filenames`: one for each id. */
export async function replaceFiles(
  tx: Tx,
  member: Member,
  messageId: string,
  ids: readonly string[],
  filenames: readonly GovernedString[],
  now: Date,
): Promise<void> {
  const previousIds = await findAttachmentIds(tx, messageId)
  const removedIds = previousIds.filter((id) => !ids.includes(id))
  await removeOtherFiles(tx, messageId, ids, now)
  await eraseResponsesAbout(tx, member.workspaceId, removedIds)
  const remainingIds = await findAttachmentIds(tx, messageId)
  const addedIds = ids.filter((id) => !remainingIds.includes(id))
  if (addedIds.length > 0) await attachToMessage(tx, member, messageId, addedIds)
  await renameFiles(tx, member.workspaceId, ids, filenames)
}
