import type { Logger } from 'pino'
import type { Db, Tx } from '../../db/database.ts'
import { inTransaction } from '../../db/retried-transaction.ts'
import { GatehouseError } from '../../errors.ts'
import type { EventRelay } from '../events/event-relay.ts'
import { emit } from '../events/outbox.ts'
import type { GovernTextDeps } from '../governance/governed-text.ts'
import { HeldText } from '../governance/held-text.ts'
import { type PreparedMessage, prepareMessage, storeMessage } from '../messages/send-message.ts'
import { HELD_NOTICE, noticeFor } from './notices.ts'
import { type CompletionDeps, requestCompletion, type TurnOutcome } from './request-completion.ts'
import { loadTurnContext, type TurnContext } from './turn-context.ts'
import { endTurn, holdTurn, postponeTurn, refuseTurn, type Turn } from './turn-store.ts'

export interface TurnDeps extends CompletionDeps, GovernTextDeps {
  readonly db: Db
  readonly log: Logger
  readonly relay: Pick<EventRelay, 'wake'>
}

/** A turn is given up after this many failures, or when limits delay it for this long. */
const MAX_ATTEMPTS = 3
const MAX_WAIT_MS = 10 * 60_000
/** Longest message; a completion may be longer. */
const MAX_BYTES = 32 * 1_024

/**
 * Answers one message. The reply and the end of the turn are one transaction, so a crash at any time leaves one reply. Throws when the
 * database does not answer; the turn is then claimed again after its lease.
 */
export async function takeTurn(turn: Turn, signal: AbortSignal, deps: TurnDeps): Promise<void> {
  const context = await loadTurnContext(deps.db, turn)
  if (!context) return end(turn, deps)
  // Earlier attempts ended without a record, as when this turn kills the process.
  if (turn.attempts > MAX_ATTEMPTS) return giveUp(turn, context, deps)
  if (turn.reviewItemId === null) await tellOfTyping(turn, context, deps)
  await settle(turn, context, await requestCompletion(turn, context, signal, deps), deps)
}

const end = (turn: Turn, { db }: TurnDeps): Promise<void> => inTransaction(db, async (tx) => void (await endTurn(tx, turn)))

async function tellOfTyping(turn: Turn, { members }: TurnContext, { db, relay }: TurnDeps): Promise<void> {
  const { workspaceId, assistantId, conversationId } = turn
  const audience = members.filter((id) => id !== assistantId)
  const payload = { conversation_id: conversationId, contact_id: assistantId }
  await inTransaction(db, (tx) => emit(tx, { workspaceId, type: 'assistant.typing', audience, payload }))
  relay.wake()
}

async function settle(turn: Turn, context: TurnContext, outcome: TurnOutcome, deps: TurnDeps): Promise<void> {
  switch (outcome.kind) {
    case 'done':
      return end(turn, deps)
    case 'answer':
      return answer(turn, context, outcome.text, outcome.auditId, deps)
    case 'refusal':
      return refuse(turn, context, outcome.text, outcome.auditId, deps)
    case 'later':
      return later(turn, context, outcome, deps)
    case 'held': {
      // Told once: a hold that goes on in another, or is still pending, was told before.
      const notice = turn.reviewItemId === null ? await ready(turn, context, HELD_NOTICE, outcome.auditId, deps) : undefined
      return together(context, (tx) => holdTurn(tx, turn, outcome.reviewItemId), notice ? [notice] : [], deps)
    }
  }
}

/** The answer as a message: policies look at it as at any other, and a person may have to approve it. */
async function answer(
  turn: Turn,
  context: TurnContext,
  text: string,
  auditId: string | undefined,
  deps: TurnDeps,
): Promise<void> {
  const reply = await ready(turn, context, shortened(text), auditId, deps, turn.messageId)
  if (!reply) return refuse(turn, context, noticeFor('POLICY_DENIED'), auditId, deps)
  if (!(reply.governed instanceof HeldText)) return together(context, (tx) => endTurn(tx, turn), [reply], deps)
  const notice = await ready(turn, context, HELD_NOTICE, auditId, deps)
  await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now()
    const sent = await storeMessage(tx, context.assistant, reply, now)
    if (sent.kind !== 'held' || !(await holdTurn(tx, turn, sent.reviewItemId))) throw new TurnLost()
    if (notice) await storeMessage(tx, context.assistant, notice, now)
  }).catch(unlessLost)
  deps.relay.wake()
}

async function refuse(
  turn: Turn,
  context: TurnContext,
  text: string,
  auditId: string | undefined,
  deps: TurnDeps,
): Promise<void> {
  const words = await ready(turn, context, text, auditId, deps, turn.messageId)
  await together(context, (tx) => refuseTurn(tx, turn), words ? [words] : [], deps)
}

async function later(turn: Turn, context: TurnContext, outcome: TurnOutcome & { kind: 'later' }, deps: TurnDeps): Promise<void> {
  const { code, afterMs, failed } = outcome
  const now = deps.clock.now()
  const waited = now.getTime() - turn.createdAt.getTime() + afterMs
  const givenUp = failed ? turn.attempts >= MAX_ATTEMPTS : waited > MAX_WAIT_MS && turn.reviewItemId === null
  if (givenUp) return refuse(turn, context, noticeFor(code), undefined, deps)
  await postponeTurn(deps.db, turn, new Date(now.getTime() + afterMs), { failed })
}

/** With words if that can be, and without where it cannot. */
async function giveUp(turn: Turn, context: TurnContext, deps: TurnDeps): Promise<void> {
  if (turn.attempts === MAX_ATTEMPTS + 1) return refuse(turn, context, noticeFor('INTERNAL'), undefined, deps)
  return together(context, (tx) => refuseTurn(tx, turn), [], deps)
}

/**
 * Something that the assistant says, once policies have looked at it. Undefined when they deny it (which is recorded), or the
 * assistant is not in the conversation any more.
 */
async function ready(
  turn: Turn,
  { assistant }: TurnContext,
  text: string,
  auditId: string | undefined,
  deps: TurnDeps,
  replyTo?: string,
): Promise<PreparedMessage | undefined> {
  const draft = { conversationId: turn.conversationId, text, attachments: [], replyTo, auditId }
  try {
    return await prepareMessage(deps, assistant, draft, deps.clock.now())
  } catch (error) {
    if (error instanceof GatehouseError && (error.code === 'POLICY_DENIED' || error.code === 'NOT_FOUND')) return undefined
    throw error
  }
}

/** Ends the turn's claim, and says what is said with it; neither, when the turn is somebody else's by now. */
async function together(
  { assistant }: TurnContext,
  change: (tx: Tx) => Promise<boolean>,
  messages: readonly PreparedMessage[],
  deps: TurnDeps,
): Promise<void> {
  const say = messages.filter(({ governed, replyTo }) => replyTo !== undefined || !(governed instanceof HeldText))
  await inTransaction(deps.db, async (tx) => {
    if (!(await change(tx))) throw new TurnLost()
    for (const message of say) await storeMessage(tx, assistant, message, deps.clock.now())
  }).catch(unlessLost)
  deps.relay.wake()
}

/** Rolls back what was made of a turn that has been taken by another worker, or has gone with its message. */
class TurnLost extends Error {}

function unlessLost(error: unknown): void {
  const isGone = error instanceof GatehouseError && error.code === 'NOT_FOUND'
  if (!(error instanceof TurnLost) && !isGone) throw error
}

function shortened(text: string): string {
  const clean = text.toWellFormed().replaceAll('\0', '')
  const bytes = Buffer.from(clean)
  if (bytes.length <= MAX_BYTES) return clean
  // A character that was cut through is left out.
  return `${new TextDecoder().decode(bytes.subarray(0, MAX_BYTES - 8), { stream: true })}…`
}
