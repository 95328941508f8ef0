import { EventReader, type StreamedEvent } from './event-reader.ts'
import type { MessagingCrashClient, TestUser } from './messaging-crash-client.ts'

/** A message whose 201 response the writer received. */
export interface Acknowledged {
  readonly text: string
  readonly id: string
  readonly writer: Writer
  /** The exact response body. */
  readonly answer: string
}

/** The responses that clients received over all crashes, and violations. */
export class MessagingLedger {
  readonly acknowledged: Acknowledged[] = []
  readonly violations: string[] = []
  /** Number of messages that were sent again with their idempotency key, because the response was lost. */
  retried = 0

  violated(violation: string): void {
    this.violations.push(violation)
  }
}

/** Sends messages in sequence. A message whose response was lost is sent again after the restart. */
export class Writer {
  readonly user: TestUser
  #next = 0
  #pending: string | undefined

  constructor(user: TestUser) {
    this.user = user
  }

  /** Sends until the server is killed, or with `finish` until no message is pending. */
  async write(client: MessagingCrashClient, conversation: string, ledger: MessagingLedger, finish = false): Promise<void> {
    while (!finish || this.#pending !== undefined) {
      if (this.#pending !== undefined) ledger.retried++
      const text = this.#pending ?? `${this.user.id} ${this.#next++}`
      this.#pending = text
      const reply = await this.send(client, conversation, text)
      if (!reply) return
      if (reply.status !== 201) return ledger.violated(`a message was answered with ${reply.status}: ${reply.text.slice(0, 300)}`)
      this.#pending = undefined
      ledger.acknowledged.push({ text, id: JSON.parse(reply.text).id, writer: this, answer: reply.text })
    }
  }

  /** Sends a message with its text as idempotency key, so that repeated requests store it once. */
  send(client: MessagingCrashClient, conversation_id: string, text: string) {
    return client.call('POST', '/v1/messages', this.user.token, { conversation_id, message: text }, text)
  }
}

/** Reads events over all restarts and resumes after the last received event. */
export class Listener {
  readonly user: TestUser
  #past: StreamedEvent[] = []
  #reader: EventReader | undefined

  constructor(user: TestUser) {
    this.user = user
  }

  get events(): readonly StreamedEvent[] {
    return [...this.#past, ...(this.#reader?.events ?? [])]
  }

  /** Id of the last received event. */
  get position(): number | undefined {
    return this.#reader?.position
  }

  /** Opens the first stream, with events from now on. */
  async begin(base: string): Promise<void> {
    this.#reader = await EventReader.open({ base, token: this.user.token })
  }

  resume(base: string): void {
    this.#past = [...this.events]
    const lastEventId = this.position
    this.#reader?.close()
    this.#reader = new EventReader({ base, token: this.user.token, lastEventId })
  }

  close(): void {
    this.#reader?.close()
  }
}
