import type { ErrorCode } from '../../../errors.ts'
import { chatWithApprovalWait, type PipelineDeps } from '../../../pipeline/pipeline.ts'
import type { PipelineResult } from '../../../pipeline/pipeline-result.ts'
import type { IncomingRequest } from '../../../pipeline/request.ts'
import type { Db } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import type { ChatMessage } from '../../../shared/message.ts'
import { getReview, readReviewContent } from '../../review/review-store.ts'
import { loadHistory, type TurnContext, toChatMessages } from './turn-context.ts'
import type { Turn } from './turn-store.ts'

export interface CompletionDeps extends PipelineDeps {
  readonly db: Db
  readonly parseChat: IncomingRequest['parse']
}

/** The outcome of the request for a turn. `auditId`: the audit record of the request. */
export type TurnOutcome =
  | { readonly kind: 'completed'; readonly text: string; readonly auditId: string | undefined }
  | { readonly kind: 'refused'; readonly text: string; readonly auditId: string | undefined }
  | { readonly kind: 'held'; readonly reviewItemId: string; readonly auditId: string | undefined }
  /** Another attempt may succeed. `failed`: the attempt counts as a failure. */
  | {
      readonly kind: 'postponed'
      readonly code: ErrorCode
      readonly auditId: string | undefined
      readonly afterMs: number
      readonly failed: boolean
    }
  /** The answer is stored already. */
  | { readonly kind: 'done' }

const RETRY_MS = 5_000

export async function requestCompletion(
  turn: Turn,
  context: TurnContext,
  signal: AbortSignal,
  deps: CompletionDeps,
): Promise<TurnOutcome> {
  if (turn.reviewItemId !== null) return resubmit(turn, turn.reviewItemId, context, signal, deps)
  const history = await loadHistory(deps.db, turn)
  const isGroup = context.place.groupId !== null
  const messages = toChatMessages(history, context.question, { assistantId: turn.assistantId, isGroup })
  return runRequest(turn, context, { messages }, signal, deps)
}

/** Runs the request exactly as the reviewer saw it, without later messages (GW-REV-11). */
async function resubmit(
  turn: Turn,
  id: string,
  context: TurnContext,
  signal: AbortSignal,
  deps: CompletionDeps,
): Promise<TurnOutcome> {
  const now = deps.clock.now()
  const item = await getReview(deps.db, turn.workspaceId, id, now)
  const refusal = (code: ErrorCode): TurnOutcome => ({ kind: 'refused', text: noticeFor(code), auditId: item?.auditId })
  if (item?.state === 'pending') return { kind: 'held', reviewItemId: id, auditId: item.auditId }
  if (item?.state === 'denied') return refusal('POLICY_REVIEW_DENIED')
  // The hold was on the answer as a message: its approval has stored it.
  if (item?.endpoint === 'message' && item.state === 'released') return { kind: 'done' }
  const content = item && (await readReviewContent(deps.db, turn.workspaceId, id, now, deps.reviewBox))
  if (!content || item.endpoint === 'message') return refusal('REVIEW_HOLD_EXPIRED')
  return runRequest(turn, context, { messages: content.messages, reviewItemId: id }, signal, deps)
}

async function runRequest(
  turn: Turn,
  { caller }: TurnContext,
  { messages, reviewItemId }: { readonly messages: readonly ChatMessage[]; readonly reviewItemId?: string },
  signal: AbortSignal,
  deps: CompletionDeps,
): Promise<TurnOutcome> {
  const governance = {
    user: { id: caller.user.id },
    session_id: turn.conversationId,
    ...(reviewItemId !== undefined && { review_item_id: reviewItemId }),
  }
  const incoming: IncomingRequest = {
    endpoint: 'chat',
    requestId: newId('req'),
    authorization: undefined,
    userToken: undefined,
    internalCaller: caller,
    body: Buffer.from(JSON.stringify({ messages, governance })),
    clientSignal: () => AbortSignal.any([signal, deps.aborting]),
    parse: deps.parseChat,
  }
  return toOutcome(await chatWithApprovalWait(incoming, deps))
}

function toOutcome({ error, held, auditId, trace }: PipelineResult): TurnOutcome {
  if (held) return { kind: 'held', reviewItemId: held.itemId, auditId }
  if (!error) {
    const [choice] = trace.results.inspect?.completion?.choices ?? []
    const text = choice?.message.content
    return { kind: 'completed', text: typeof text === 'string' && text.trim() !== '' ? text : EMPTY_NOTICE, auditId }
  }
  const { code, fields } = error
  // A budget that running requests have reserved is free again soon; one that is used up is not.
  if (code === 'RATE_LIMITED' || (code === 'BUDGET_EXCEEDED' && fields.details?.reason === 'reserved')) {
    const seconds = Number(fields.headers?.['retry-after'] ?? 1)
    return { kind: 'postponed', code, auditId, afterMs: seconds * 1_000, failed: false }
  }
  // The server is stopping: the next worker that claims the turn repeats the request.
  if (code === 'CLIENT_CLOSED_REQUEST') return { kind: 'postponed', code, auditId, afterMs: 0, failed: false }
  if (code === 'UNAVAILABLE' || code === 'INTERNAL') return { kind: 'postponed', code, auditId, afterMs: RETRY_MS, failed: true }
  return { kind: 'refused', text: noticeFor(code, fields.details?.reason), auditId }
}

/** Messages that an assistant sends instead of a completion. They name neither the content of the request nor the reviewer. */
export const HELD_NOTICE = 'A reviewer has to approve this first. I will answer here once that is done.'

const EMPTY_NOTICE = 'I have nothing to say to that.'

const FAILED_NOTICE = 'Something went wrong, and I have no answer. Please ask again.'

const NOTICES: Partial<Readonly<Record<ErrorCode, string>>> = {
  POLICY_DENIED: 'I may not answer this: the policies of this workspace do not allow it.',
  POLICY_REVIEW_DENIED: 'A reviewer has decided that I may not answer this.',
  REVIEW_HOLD_EXPIRED: 'No reviewer decided in time whether I may answer this. Please ask again if you still need it.',
  NO_ELIGIBLE_PROVIDER: 'There is no model that may answer this.',
  PROVIDER_ERROR: 'The model that answers for me cannot be reached, or did not give an answer. Please ask again later.',
  PROVIDER_TIMEOUT: 'The model that answers for me took too long. Please ask again later.',
  BUDGET_EXCEEDED: 'The budget for my answers is used up. Please ask again later, or ask your administrator.',
  RATE_LIMITED: 'I have too many questions to answer at the moment. Please ask again later.',
}

const REASON_NOTICES: Readonly<Record<string, string>> = {
  provider_refused: 'The model that answers for me does not accept this. Please ask in another way, or in fewer words.',
  application_archived: 'This assistant is no longer available.',
}

export const noticeFor = (code: ErrorCode, reason?: unknown): string =>
  REASON_NOTICES[String(reason)] ?? NOTICES[code] ?? FAILED_NOTICE
