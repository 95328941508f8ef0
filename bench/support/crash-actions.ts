import { MODEL } from './chat-bodies.ts'
import type { Answer, CrashClient } from './crash-client.ts'
import type { CrashLedger, KnownHold } from './crash-ledger.ts'
import { pick, type Random } from './random.ts'

/** A phrase of the request selects the verdict. The provider echoes it, so output rules match too. */
export const CRASH_RULES = `name: crash
rules:
  - {id: deny, at: [input], when: 'content.text.contains("please refuse")', verdict: deny}
  - {id: hold-request, at: [input], when: 'content.text.contains("hold this request")', verdict: require_approval}
  - {id: hold-answer, at: [output], when: 'content.text.contains("have the answer read")', verdict: require_approval}
`

/** Client, ledger and random numbers of one actor. */
export interface ActorContext {
  readonly client: CrashClient
  readonly ledger: CrashLedger
  readonly random: Random
  /** On PostgreSQL a claim of a killed node lasts until its lease ends, so interrupted releases are retried after that. */
  readonly claimsOutliveNodes: boolean
}

/** Sends one request of a client or reviewer. Returns false if the connection broke, because the server was killed. */
export type Action = (context: ActorContext) => Promise<boolean>

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const newMarker = (random: Random): string => `mark${Array.from({ length: 12 }, () => pick(random, [...LETTERS])).join('')}`
const chatBody = (content: string, more: object = {}): object => ({
  model: MODEL,
  messages: [{ role: 'user', content }],
  ...more,
})

export const chat: Action = async ({ client, ledger, random }) => {
  const marker = newMarker(random)
  const answer = ledger.seen(await client.chat(chatBody(`Tell me about ${marker}.`)))
  const body = ledger.expect(answer, 200, 'an allowed chat')
  if (body && !JSON.stringify(body).includes(marker))
    ledger.violated(`the answer to ${marker} belongs to another request: ${answer?.text}`)
  return answer !== undefined
}

export const stream: Action = async ({ client, ledger, random }) => {
  const answer = ledger.seen(await client.chat(chatBody(`Tell me about ${newMarker(random)}.`, { stream: true })))
  if (answer && answer.status !== 200) ledger.violated(`an allowed stream: ${answer.status} ${answer.text}`)
  return answer !== undefined
}

export const denied: Action = async ({ client, ledger, random }) => {
  const answer = ledger.seen(await client.chat(chatBody(`About ${newMarker(random)}: please refuse.`)))
  ledger.expect(answer, 403, 'a denied chat')
  return answer !== undefined
}

export const hold =
  (point: KnownHold['point'], phrase: string): Action =>
  async ({ client, ledger, random }) => {
    const marker = newMarker(random)
    const body = chatBody(`About ${marker}: ${phrase}.`)
    const answer = ledger.seen(await client.chat(body))
    const id = reviewItemIdOf(ledger.expect(answer, 409, `a chat held at ${point}`))
    if (id !== undefined) {
      ledger.holds.push({ id, marker, point, body, approval: 'none', result: undefined, attempts: 0, cut: 0, interrupted: false })
    }
    return answer !== undefined
  }

/** Returns the id of the review item in a 409 response. */
export const reviewItemIdOf = (body: Record<string, unknown> | undefined): string | undefined =>
  (body?.error as { review_item_id?: string } | undefined)?.review_item_id

const approveOne: Action = async (context) => {
  // One hold in four is never approved, so that there are pending holds at every crash.
  const waiting = context.ledger.holds.filter(({ approval }, index) => approval !== 'granted' && index % 4 !== 0)
  return waiting.length === 0 ? chat(context) : approve(pick(context.random, waiting), context)
}

const releaseOne: Action = async (context) => {
  const approved = context.ledger.holds.filter(
    ({ approval, interrupted, cut, result }) =>
      approval === 'granted' && !interrupted && !(context.claimsOutliveNodes && cut > 0 && result === undefined),
  )
  return approved.length === 0 ? chat(context) : release(pick(context.random, approved.slice(-20)), context)
}

export async function approve(hold: KnownHold, { client, ledger }: Pick<ActorContext, 'client' | 'ledger'>): Promise<boolean> {
  hold.approval = hold.approval === 'none' ? 'asked' : hold.approval
  const answer = await client.approve(hold.id)
  // 409: an earlier approval whose response was lost, or an approval by another actor.
  if (answer && answer.status !== 409) ledger.expect(answer, 200, `approving ${hold.id}`)
  if (answer && (answer.status === 200 || answer.status === 409)) hold.approval = 'granted'
  return answer !== undefined
}

export async function release(hold: KnownHold, { client, ledger }: Pick<ActorContext, 'client' | 'ledger'>): Promise<boolean> {
  hold.attempts++
  const answer = ledger.seen(await client.chat({ ...hold.body, governance: { review_item_id: hold.id } }))
  if (answer?.text === undefined) hold.cut++
  if (answer && wasInterrupted(hold, answer)) {
    hold.interrupted = true
    return true
  }
  const body = ledger.expect(answer, 200, `releasing ${hold.id} (held at ${hold.point}, resubmitted ${hold.attempts} times)`)
  if (body) ledger.released(hold, body)
  return answer !== undefined
}

/** A 502 is correct only if a crash interrupted a release, the provider may have been called, and no client has the result. */
const wasInterrupted = (hold: KnownHold, { status }: Answer): boolean =>
  status === 502 && hold.point === 'input' && hold.cut > 0 && hold.result === undefined

/** Actions of an actor. Frequent ones are listed several times. */
export const ACTIONS: readonly Action[] = [
  chat,
  chat,
  stream,
  denied,
  hold('input', 'hold this request'),
  hold('input', 'hold this request'),
  hold('output', 'have the answer read'),
  approveOne,
  approveOne,
  approveOne,
  releaseOne,
  releaseOne,
  releaseOne,
]
