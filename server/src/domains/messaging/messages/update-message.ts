import type { Tx } from '../../../platform/db/database.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import { Refusal, refuseForbidden, refuseUnknown } from '../../../shared/refusal.ts'
import { findConversation, findMemberIds } from '../conversations/conversation-store.ts'
import type { HeldText, OpenedHold } from '../governance/governed-text.ts'
import { type GovernedText, governText, governWithoutHold, unchanged } from '../governance/governed-text.ts'
import type { TextSubmission } from '../governance/text-decision.ts'
import { eraseResponsesAbout } from '../idempotency/erase-responses.ts'
import type { MessagingDeps } from '../messaging-deps.ts'
import type { Member } from '../people/member.ts'
import { readContents } from './file-contents.ts'
import type { Message } from './message.ts'
import { attachToMessage, findAttachmentIds, findSentFiles, refuseFiles, removeOtherFiles, renameFiles } from './message-files.ts'
import { emitMessageUpdated, findMessage, lockMessage, replaceText } from './message-store.ts'
import { type GovernedReaction, type Reaction, tooManyNames } from './reaction.ts'
import { replaceReactions } from './reaction-store.ts'

export interface MessageChanges {
  readonly text?: string | undefined
  readonly attachments?: readonly string[] | undefined
  readonly reactions?: readonly Reaction[] | undefined
}

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

/** Governs changes of a message. Returns a 400, NOT_FOUND, POLICY_DENIED, or FORBIDDEN if the caller is not the sender. */
export async function prepareUpdate(
  deps: MessagingDeps,
  member: Member,
  id: string,
  { text, attachments, reactions }: MessageChanges,
  now: Date,
): Promise<PreparedUpdate | Refusal> {
  const message = await findMessage(deps.db, member, id)
  const conversation = message && (await findConversation(deps.db, member, message.conversationId))
  if (!message || !conversation) return refuseUnknown('message')
  if ((text !== undefined || attachments !== undefined) && message.senderId !== member.user.id) {
    return refuseForbidden('Only the sender can change the text and the attachments of a message.')
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
  const files = await findSentFiles(deps.db, member, attachments ?? [], id)
  if (!files) return refuseFiles()
  const filenames = files.map(({ filename }) => filename)
  const withFiles = (texts: readonly string[]): TextSubmission => ({
    ...submissionOf(texts, 'update'),
    readFiles: () => readContents(deps.files, files),
  })
  const governedText = text === undefined ? undefined : await governText(withFiles([text, ...filenames]), deps)
  if (governedText instanceof Refusal) return governedText
  const governsNames = text === undefined && files.length > 0
  const governedNames = governsNames ? await governWithoutHold(withFiles(filenames), deps) : undefined
  if (governedNames instanceof Refusal) return governedNames
  const governedReactions = reactions && (await governReactions(deps, member, submissionOf([], 'react'), reactions))
  if (governedReactions instanceof Refusal) return governedReactions
  return {
    text: governedText,
    attachments: attachments && { ids: attachments, governed: governedNames },
    reactions: governedReactions,
  }
}

/** Governs names and texts of reactions. Texts that are ids of members are not governed. */
async function governReactions(
  deps: MessagingDeps,
  member: Member,
  submission: TextSubmission,
  reactions: readonly Reaction[],
): Promise<GovernedReactions | Refusal> {
  const memberIds = new Set(await findMemberIds(deps.db, member.workspaceId, submission.place.id))
  const texts = [...new Set(reactions.flatMap(({ name, value }) => (memberIds.has(value) ? [name] : [name, value])))]
  const governed = await governWithoutHold({ ...submission, texts }, deps)
  if (governed instanceof Refusal) return governed
  const governedByText = new Map(texts.map((text, index) => [text, governed.texts[index]]))
  const list = reactions.flatMap((reaction): GovernedReaction[] => {
    const name = governedByText.get(reaction.name)
    const value = governedByText.get(reaction.value) ?? unchanged(reaction.value, memberIds)
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
  return { list, governed }
}

export async function prepareReaction(deps: MessagingDeps, member: Member, id: string, name: string, now: Date) {
  const prepared = await prepareUpdate(deps, member, id, { reactions: [{ name, value: member.user.id }] }, now)
  if (prepared instanceof Refusal) return prepared
  const { reactions } = prepared
  const [reaction] = reactions?.list ?? []
  if (!reactions || !reaction) throw new Error('A reaction was not governed')
  return { name: reaction.name, governed: reactions.governed }
}

/** Applies a prepared update, or opens its hold and changes nothing. Last in its transaction, which a refusal rolls back. */
export async function updateMessage(
  tx: Tx,
  member: Member,
  id: string,
  { text, attachments, reactions }: PreparedUpdate,
  now: Date,
): Promise<Message | OpenedHold | Refusal> {
  const message = await lockMessage(tx, member, id)
  if (!message) return refuseUnknown('message')
  if (text?.kind === 'held') return text.open(tx, attachments?.ids ?? null)
  if (text) await replaceText(tx, message, text)
  if (attachments) {
    const filenames = text ? text.texts.slice(1) : (attachments.governed?.texts ?? [])
    const refusal = await replaceFiles(tx, member, id, attachments.ids, filenames, now)
    if (refusal) return refusal
  }
  const refusal = reactions && (await applyReactions(tx, member, message, reactions.list, now))
  if (refusal) return refusal
  const updated = await emitMessageUpdated(tx, message, now)
  for (const governed of [text, attachments?.governed, reactions?.governed]) await governed?.settle(tx)
  return updated
}

async function applyReactions(
  tx: Tx,
  member: Member,
  message: Message,
  reactions: readonly GovernedReaction[],
  now: Date,
): Promise<Refusal | undefined> {
  const memberIds = await findMemberIds(tx, member.workspaceId, message.conversationId)
  const result = await replaceReactions(tx, member, message, reactions, memberIds, now)
  if (result === 'too_many_names') return tooManyNames()
  if (result !== 'foreign_member') return undefined
  return refuseForbidden('A member can only react in their own name. Remove the ids of other members.', { param: 'reactions' })
}

/** Replaces the files of a message. `filenames`: one for each id. Returns a 400 if a file is not the member's or was sent before. */
export async function replaceFiles(
  tx: Tx,
  member: Member,
  messageId: string,
  ids: readonly string[],
  filenames: readonly GovernedString[],
  now: Date,
): Promise<Refusal | undefined> {
  const previousIds = await findAttachmentIds(tx, messageId)
  const removedIds = previousIds.filter((id) => !ids.includes(id))
  await removeOtherFiles(tx, messageId, ids, now)
  await eraseResponsesAbout(tx, member.workspaceId, removedIds)
  const remainingIds = await findAttachmentIds(tx, messageId)
  const addedIds = ids.filter((id) => !remainingIds.includes(id))
  const refusal = addedIds.length > 0 ? await attachToMessage(tx, member, messageId, addedIds) : undefined
  if (refusal) return refusal
  await renameFiles(tx, member.workspaceId, ids, filenames)
  return undefined
}
