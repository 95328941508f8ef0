import type { Logger } from 'pino'
import type { Tx } from '../../../platform/db/database.ts'
import { inTransaction } from '../../../platform/db/retried-transaction.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { auditedTransaction } from '../../audit/chain/audited-transaction.ts'
import { emit } from '../events/event.ts'
import type { EventRelay } from '../events/event-relay.ts'
import type { GovernTextDeps } from '../governance/governed-text.ts'
import { type Draft, type PreparedMessage, prepareMessage, storeMessage } from '../messages/send-message.ts'
import { type CompletionDeps, HELD_NOTICE, noticeFor, requestCompletion, type TurnOutcome } from './request-completion.ts'
import { loadTurnContext, type TurnContext } from './turn-context.ts'
import { endTurn, holdTurn, postponeTurn, refuseTurn, type Turn } from './turn-store.ts'

export interface TurnDeps extends CompletionDeps, GovernTextDeps {
  readonly log: Logger
  readonly relay: Pick<EventRelay, 'wake'>
  readonly files: Parameters<typeof prepareMessage>[0]['files']
}

type TurnText = Pick<Draft, 'text' | 'auditId' | 'replyTo'>

/** A turn is refused after this many failures, or when limits delay it for this long. */
const MAX_ATTEMPTS = 3
const MAX_DELAY_MS = 10 * 60_000
/** Longest message; a longer completion is shortened. */
const MAX_BYTES = 32 * 1_024

/** The answer is stored in the transaction that ends the turn, so that a crash at any time leaves one answer. */
export async function takeTurn(turn: Turn, signal: AbortSignal, deps: TurnDeps): Promise<void> {
  const context = await loadTurnContext(deps.db, turn)
  if (!context) return endSilently(turn, deps)
  if (turn.attempts > MAX_ATTEMPTS) return giveUp(turn, context, deps)
  if (turn.reviewItemId === null) await emitTyping(turn, context, deps)
  await applyOutcome(turn, context, await requestCompletion(turn, context, signal, deps), deps)
}

const endSilently = (turn: Turn, { db }: TurnDeps): Promise<void> =>
  inTransaction(db, async (tx) => void (await endTurn(tx, turn)))

async function emitTyping(turn: Turn, { members }: TurnContext, { db, relay }: TurnDeps): Promise<void> {
  const { workspaceId, assistantId, conversationId } = turn
  const audience = members.filter((id) => id !== assistantId)
  const payload = { conversation_id: conversationId, contact_id: assistantId }
  await inTransaction(db, (tx) => emit(tx, { workspaceId, type: 'assistant.typing', audience, payload }))
  relay.wake()
}

async function applyOutcome(turn: Turn, context: TurnContext, outcome: TurnOutcome, deps: TurnDeps): Promise<void> {
  switch (outcome.kind) {
    case 'done':
      return endSilently(turn, deps)
    case 'completed':
      return sendAnswer(turn, context, outcome, deps)
    case 'refused':
      return refuse(turn, context, outcome, deps)
    case 'postponed':
      return postpone(turn, context, outcome, deps)
    case 'held': {
      // The members are told once, also if another hold follows this one.
      const draft = { text: HELD_NOTICE, auditId: outcome.auditId }
      const notice = turn.reviewItemId === null ? await prepareNotice(turn, context, draft, deps) : undefined
      return changeTurn(context, (tx) => holdTurn(tx, turn, outcome.reviewItemId), notice ? [notice] : [], deps)
    }
  }
}

/** Sends a completion as a message, which policies govern like any other: it may be denied or held. */
async function sendAnswer(turn: Turn, context: TurnContext, { text, auditId }: TurnText, deps: TurnDeps): Promise<void> {
  const answer = await prepare(turn, context, { text: shorten(text), auditId, replyTo: turn.messageId }, deps)
  if (answer instanceof Refusal) {
    // The record of the denied answer tells the cause; that of the request says that it was allowed.
    return refuse(turn, context, { text: noticeFor('POLICY_DENIED'), auditId: answer.fields.auditId ?? auditId }, deps)
  }
  if (answer.governed.kind !== 'held') return changeTurn(context, (tx) => endTurn(tx, turn), [answer], deps)
  const notice = await prepareNotice(turn, context, { text: HELD_NOTICE, auditId }, deps)
  const hold = async (tx: Tx): Promise<void> => {
    const now = deps.clock.now()
    const sent = await store(tx, context, answer, now)
    if (!('reviewItemId' in sent) || !(await holdTurn(tx, turn, sent.reviewItemId))) throw new TurnLost()
    if (notice) await store(tx, context, notice, now)
  }
  await auditedTransaction(deps, hold, inTransaction).catch(throwUnlessLost)
  deps.relay.wake()
}

async function refuse(turn: Turn, context: TurnContext, { text, auditId }: TurnText, deps: TurnDeps): Promise<void> {
  const notice = await prepareNotice(turn, context, { text, auditId, replyTo: turn.messageId }, deps)
  await changeTurn(context, (tx) => refuseTurn(tx, turn), notice ? [notice] : [], deps)
}

async function postpone(
  turn: Turn,
  context: TurnContext,
  { code, auditId, afterMs, failed }: TurnOutcome & { kind: 'postponed' },
  deps: TurnDeps,
): Promise<void> {
  const now = deps.clock.now()
  const delayMs = now.getTime() - turn.createdAt.getTime() + afterMs
  const givesUp = failed ? turn.attempts >= MAX_ATTEMPTS : delayMs > MAX_DELAY_MS && turn.reviewItemId === null
  if (givesUp) return refuse(turn, context, { text: noticeFor(code), auditId }, deps)
  await postponeTurn(deps.db, turn, new Date(now.getTime() + afterMs), { failed })
}

/** Refuses the turn with a notice; at a later attempt without one, because sending the notice may be what fails. */
async function giveUp(turn: Turn, context: TurnContext, deps: TurnDeps): Promise<void> {
  if (turn.attempts === MAX_ATTEMPTS + 1) return refuse(turn, context, { text: noticeFor('INTERNAL') }, deps)
  return changeTurn(context, (tx) => refuseTurn(tx, turn), [], deps)
}

/** A message of the assistant, governed. Refused if policies deny it (recorded), or the assistant is no longer a member. */
const prepare = (
  { conversationId }: Turn,
  { assistant }: TurnContext,
  text: TurnText,
  deps: TurnDeps,
): Promise<PreparedMessage | Refusal> =>
  prepareMessage(deps, assistant, { conversationId, attachments: [], ...text }, deps.clock.now())

/** Undefined if the notice is refused. */
async function prepareNotice(...message: Parameters<typeof prepare>): Promise<PreparedMessage | undefined> {
  const prepared = await prepare(...message)
  return prepared instanceof Refusal ? undefined : prepared
}

/** Changes the turn and stores the messages in one transaction. Does neither if this worker no longer has the turn. */
async function changeTurn(
  context: TurnContext,
  change: (tx: Tx) => Promise<boolean>,
  messages: readonly PreparedMessage[],
  deps: TurnDeps,
): Promise<void> {
  // A notice that answers no message is not worth a review.
  const storable = messages.filter(({ governed, replyTo }) => replyTo !== undefined || governed.kind !== 'held')
  const changeAndStore = async (tx: Tx): Promise<void> => {
    if (!(await change(tx))) throw new TurnLost()
    for (const message of storable) await store(tx, context, message, deps.clock.now())
  }
  await auditedTransaction(deps, changeAndStore, inTransaction).catch(throwUnlessLost)
  deps.relay.wake()
}

async function store(tx: Tx, { assistant }: TurnContext, message: PreparedMessage, now: Date) {
  const stored = await storeMessage(tx, assistant, message, now)
  // The conversation was deleted, or the assistant has left it.
  if (stored instanceof Refusal) throw new TurnLost()
  return stored
}

/** Rolls the transaction back: another worker has the turn, or it was deleted with its message. */
class TurnLost extends Error {}

function throwUnlessLost(error: unknown): void {
  if (!(error instanceof TurnLost)) throw error
}

function shorten(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '')
  const bytes = Buffer.from(clean)
  if (bytes.length <= MAX_BYTES) return clean
  // `stream` omits a last character that is incomplete.
  return `${new TextDecoder().decode(bytes.subarray(0, MAX_BYTES - 8), { stream: true })}…`
}
