import { setTimeout as sleep } from 'node:timers/promises'
import { EventReader } from '../event-reader.ts'
import type { KillApiClient, LoadOptions, Running } from './clients.ts'
import type { Received } from './ledger.ts'

/** The first users write, the last two read. */
const WRITERS = 4
export const USERS = WRITERS + 2
/** Less than the rate limit of a user. */
const PAUSE_MS = 300
const RESUME_MS = 100

/** Sends a message with its text as idempotency key, so that repeated requests store it once. */
export const sendMessage = (client: KillApiClient, token: string, conversation: string, text: string) =>
  client.call('POST', '/v1/messages', token, { conversation_id: conversation, message: text }, text)

/** Each writer sends numbered messages in sequence, and repeats one until it is acknowledged. Returns the work of each writer. */
export function writeMessages({ ledger }: LoadOptions, client: KillApiClient, running: Running): Promise<void>[] {
  const { users, conversation } = ledger.setup
  return users.slice(0, WRITERS).map(async ({ id: user, token }) => {
    let next = 0
    for (; !running.isOver; await sleep(PAUSE_MS)) {
      const text = `${user} ${next}`
      const reply = await sendMessage(client, token, conversation, text)
      if (!reply) continue
      if (reply.status !== 201) ledger.violated(`a message was answered with ${reply.status}: ${reply.text.slice(0, 300)}`)
      else {
        ledger.messages.push({ user, text, id: JSON.parse(reply.text).id, answer: reply.text })
        next++
      }
    }
  })
}

/** Reads the events of a user over all restarts, and resumes at any node whenever its stream ends. */
export class ResumingReader {
  readonly received: Received[] = []
  readonly #token: string
  readonly #entrance: LoadOptions['entrance']
  readonly #timer: NodeJS.Timeout
  #current: EventReader

  constructor(index: number, { ledger, entrance }: Pick<LoadOptions, 'ledger' | 'entrance'>) {
    this.#token = ledger.setup.users[WRITERS + index]?.token ?? ''
    this.#entrance = entrance
    this.#current = this.#open(undefined)
    this.#timer = setInterval(() => this.#resume(), RESUME_MS)
  }

  /** Waits until the first stream has begun: all later events arrive. */
  async begun(): Promise<void> {
    while (this.#current.position === undefined) await sleep(RESUME_MS)
  }

  /** Moves the events of the current stream to `received`. */
  save(): void {
    const events = this.#current.events.splice(0)
    this.received.push(...events.map(({ id, type, data }): Received => [id, type, JSON.parse(data).id ?? '']))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#current.close()
  }

  #resume(): void {
    if (!this.#current.ended) return
    this.save()
    this.#current = this.#open(this.#current.position)
  }

  #open(lastEventId: number | undefined): EventReader {
    return new EventReader({ base: `http://127.0.0.1:${this.#entrance.port}`, token: this.#token, lastEventId })
  }
}
