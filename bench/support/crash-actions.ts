import { MODEL } from './chat-bodies.ts'
import type { Answer, CrashClient } from './crash-client.ts'
import type { CrashLedger, KnownHold } from './crash-ledger.ts'
import { pick, type Random } from './random.ts'

/** Every verdict by a phrase of the request; the provider echoes, so the same works for its answers. */
export const CRASH_RULES = `name: crash
rules:
  - {id: deny, at: [input], when: 'content.text.contains("please refuse")', verdict: deny}
  - {id: hold-request, at: [input], when: 'content.text.contains("ask somebody")', verdict: require_approval}
  - {id: hold-answer, at: [output], when: 'content.text.contains("have the answer read")', verdict: require_approval}
`

/** One actor's view of a cycle. */
export interface Stage {
  readonly client: CrashClient
  readonly ledger: CrashLedger
  readonly random: Random
  /** Where several nodes share a database, a dead one's claim holds until its lease is over: leave such releases for then. */
  readonly claimsStay: boolean
}

/** Does one thing that a client or a reviewer does. False when the connection broke: this life of the server is over. */
export type Action = (stage: Stage) => Promise<boolean>

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const newMarker = (random: Random): string => `mark${Array.from({ length: 12 }, () => pick(random, [...LETTERS])).join('')}`
const says = (content: string, more: object = {}): object => ({ model: MODEL, messages: [{ role: 'user', content }], ...more })

const chat: Action = async ({ client, ledger, random }) => {
  const marker = newMarker(random)
  const answer = ledger.seen(await client.chat(says(`Tell me about ${marker}.`)))
  const body = ledger.expect(answer, 200, 'an allowed chat')
  if (body && !JSON.stringify(body).includes(marker)) ledger.violated(`the answer to ${marker} is another one's: ${answer?.text}`)
  return answer !== undefined
}

const stream: Action = async ({ client, ledger, random }) => {
  const answer = ledger.seen(await client.chat(says(`Tell me about ${newMarker(random)}.`, { stream: true })))
  if (answer && answer.status !== 200) ledger.violated(`an allowed stream: ${answer.status} ${answer.text}`)
  return answer !== undefined
}

const denied: Action = async ({ client, ledger, random }) => {
  const answer = ledger.seen(await client.chat(says(`About ${newMarker(random)}: please refuse.`)))
  ledger.expect(answer, 403, 'a denied chat')
  return answer !== undefined
}

const hold =
  (point: KnownHold['point'], phrase: string): Action =>
  async ({ client, ledger, random }) => {
    const marker = newMarker(random)
    const body = says(`About ${marker}: ${phrase}.`)
    const answer = ledger.seen(await client.chat(body))
    const id = heldAs(ledger.expect(answer, 409, `a chat held at ${point}`))
    if (id !== undefined) {
      ledger.holds.push({ id, marker, point, body, approval: 'none', result: undefined, attempts: 0, cut: 0, interrupted: false })
    }
    return answer !== undefined
  }

/** The review item of a 409. */
export const heldAs = (body: Record<string, unknown> | undefined): string | undefined =>
  (body?.error as { review_item_id?: string } | undefined)?.review_item_id

const approveOne: Action = async (stage) => {
  // One hold in four waits for ever, so that waiting ones are there at every crash.
  const waiting = stage.ledger.holds.filter(({ approval }, index) => approval !== 'granted' && index % 4 !== 0)
  return waiting.length === 0 ? chat(stage) : approve(pick(stage.random, waiting), stage)
}

const releaseOne: Action = async (stage) => {
  const approved = stage.ledger.holds.filter(
    ({ approval, interrupted, cut, result }) =>
      approval === 'granted' && !interrupted && !(stage.claimsStay && cut > 0 && result === undefined),
  )
  return approved.length === 0 ? chat(stage) : release(pick(stage.random, approved.slice(-20)), stage)
}

export async function approve(hold: KnownHold, { client, ledger }: Pick<Stage, 'client' | 'ledger'>): Promise<boolean> {
  hold.approval = hold.approval === 'none' ? 'asked' : hold.approval
  const answer = await client.approve(hold.id)
  // 409: an approval before, whose answer was lost, or another reviewer's just now.
  if (answer && answer.status !== 409) ledger.expect(answer, 200, `approving ${hold.id}`)
  if (answer && (answer.status === 200 || answer.status === 409)) hold.approval = 'granted'
  return answer !== undefined
}

export async function release(hold: KnownHold, { client, ledger }: Pick<Stage, 'client' | 'ledger'>): Promise<boolean> {
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

/** Allowed only where a crash cut a release short after its provider may have been called, and no client has the result. */
const wasInterrupted = (hold: KnownHold, { status }: Answer): boolean =>
  status === 502 && hold.point === 'input' && hold.cut > 0 && hold.result === undefined

/** What an actor does next, as often as it stands here. */
export const ACTIONS: readonly Action[] = [
  chat,
  chat,
  stream,
  denied,
  hold('input', 'ask somebody'),
  hold('input', 'ask somebody'),
  hold('output', 'have the answer read'),
  approveOne,
  approveOne,
  approveOne,
  releaseOne,
  releaseOne,
  releaseOne,
]
