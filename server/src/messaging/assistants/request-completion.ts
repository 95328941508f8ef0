import type { Db } from '../../db/database.ts'
import type { ChatMessage } from '../../domain/message.ts'
import type { ErrorCode } from '../../errors.ts'
import { type ChatLimits, parseChat } from '../../gateway/chat-request.ts'
import { newId } from '../../lib/id.ts'
import { chatWithApprovalWait, type PipelineDeps } from '../../pipeline/pipeline.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import type { IncomingRequest } from '../../pipeline/request.ts'
import { getReview, readReviewContent } from '../../review/review-store.ts'
import { chatMessages, loadHistory } from './chat-history.ts'
import { EMPTY_NOTICE, noticeFor } from './notices.ts'
import type { TurnContext } from './turn-context.ts'
import type { Turn } from './turn-store.ts'

export interface CompletionDeps extends PipelineDeps {
  readonly db: Db
  readonly chatLimits: ChatLimits
}

/** What becomes of a turn. `auditId`: the record of the exchange. */
export type TurnOutcome =
  | { readonly kind: 'answer'; readonly text: string; readonly auditId: string | undefined }
  | { readonly kind: 'refusal'; readonly text: string; readonly auditId: string | undefined }
  | { readonly kind: 'held'; readonly reviewItemId: string; readonly auditId: string | undefined }
  /** Another try may succeed. `failed`: only a few times. */
  | { readonly kind: 'later'; readonly code: ErrorCode; readonly afterMs: number; readonly failed: boolean }
  /** There is nothing left to do. */
  | { readonly kind: 'done' }

const RETRY_MS = 5_000

/** Puts a question to the Application through the pipeline, or again what a reviewer has decided on. */
export async function requestCompletion(
  turn: Turn,
  context: TurnContext,
  signal: AbortSignal,
  deps: CompletionDeps,
): Promise<TurnOutcome> {
  if (turn.reviewItemId !== null) return afterReview(turn, turn.reviewItemId, context, signal, deps)
  const before = await loadHistory(deps.db, turn)
  const isGroup = context.place.groupId !== null
  const messages = chatMessages(before, context.question, { assistantId: turn.assistantId, isGroup })
  return run(turn, context, { messages }, signal, deps)
}

/** The request as the reviewer saw it, whatever has been said since. */
async function afterReview(
  turn: Turn,
  id: string,
  context: TurnContext,
  signal: AbortSignal,
  deps: CompletionDeps,
): Promise<TurnOutcome> {
  const now = deps.clock.now()
  const item = await getReview(deps.db, turn.workspaceId, id, now)
  const refusal = (code: ErrorCode): TurnOutcome => ({ kind: 'refusal', text: noticeFor(code), auditId: item?.auditId })
  if (item?.state === 'pending') return { kind: 'held', reviewItemId: id, auditId: item.auditId }
  if (item?.state === 'denied') return refusal('POLICY_REVIEW_DENIED')
  // The answer itself waited, as a message: it was stored when it was approved.
  if (item?.endpoint === 'message' && item.state === 'released') return { kind: 'done' }
  const content = item && (await readReviewContent(deps.db, turn.workspaceId, id, now, deps.reviewBox))
  if (!content || item.endpoint === 'message') return refusal('REVIEW_HOLD_EXPIRED')
  return run(turn, context, { messages: content.messages, reviewItemId: id }, signal, deps)
}

interface Asked {
  readonly messages: readonly ChatMessage[]
  readonly reviewItemId?: string
}

async function run(
  turn: Turn,
  { caller }: TurnContext,
  asked: Asked,
  signal: AbortSignal,
  deps: CompletionDeps,
): Promise<TurnOutcome> {
  const governance = {
    user: { id: caller.user.id },
    session_id: turn.conversationId,
    ...(asked.reviewItemId !== undefined && { review_item_id: asked.reviewItemId }),
  }
  const incoming: IncomingRequest = {
    endpoint: 'chat',
    requestId: newId('req'),
    authorization: undefined,
    userToken: undefined,
    caller,
    body: Buffer.from(JSON.stringify({ messages: asked.messages, governance })),
    callerGone: () => signal,
    parse: (body, application) => parseChat(body, application, deps.chatLimits),
  }
  return outcomeOf(await chatWithApprovalWait(incoming, deps))
}

function outcomeOf({ error, held, auditId, trace }: PipelineResult): TurnOutcome {
  if (held) return { kind: 'held', reviewItemId: held.itemId, auditId }
  if (!error) {
    const [choice] = trace.results.inspect?.completion?.choices ?? []
    const text = choice?.message.content
    return { kind: 'answer', text: typeof text === 'string' && text.trim() !== '' ? text : EMPTY_NOTICE, auditId }
  }
  const { code, fields } = error
  if (code === 'RATE_LIMITED') {
    const seconds = Number(fields.headers?.['retry-after'] ?? 1)
    return { kind: 'later', code, afterMs: seconds * 1_000, failed: false }
  }
  // The server stops: whoever takes the turn up next asks again.
  if (code === 'CLIENT_CLOSED_REQUEST') return { kind: 'later', code, afterMs: 0, failed: false }
  if (code === 'UNAVAILABLE' || code === 'INTERNAL') return { kind: 'later', code, afterMs: RETRY_MS, failed: true }
  return { kind: 'refusal', text: noticeFor(code, fields.details?.reason), auditId }
}
