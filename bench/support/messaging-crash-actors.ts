import { EventReader, type StreamedEvent } from './event-reader.ts'
import type { MessagingCrashClient, Person } from './messaging-crash-client.ts'

/** A message that its writer knows to be stored. */
export interface Acknowledged {
  readonly text: string
  readonly id: string
  readonly writer: Writer
  /** The answer, byte for byte. */
  readonly answer: string
}

/** What the clients have been told, through all crashes. */
export class MessagingLedger {
  readonly acknowledged: Acknowledged[] = []
  readonly violations: string[] = []
  /** Messages whose answer was lost, sent again under their key. */
  retried = 0

  violated(what: string): void {
    this.violations.push(what)
  }
}

/** Sends one message after the other; one whose answer was lost is sent again, to the next life of the server. */
export class Writer {
  readonly person: Person
  #next = 0
  #pending: string | undefined

  constructor(person: Person) {
    this.person = person
  }

  /** Until the server goes away; with `finish` until nothing is pending. */
  async write(client: MessagingCrashClient, conversation: string, ledger: MessagingLedger, finish = false): Promise<void> {
    while (!finish || this.#pending !== undefined) {
      if (this.#pending !== undefined) ledger.retried++
      const text = this.#pending ?? `${this.person.id} ${this.#next++}`
      this.#pending = text
      const reply = await this.send(client, conversation, text)
      if (!reply) return
      if (reply.status !== 201) return ledger.violated(`a message was answered with ${reply.status}: ${reply.text.slice(0, 300)}`)
      this.#pending = undefined
      ledger.acknowledged.push({ text, id: JSON.parse(reply.text).id, writer: this, answer: reply.text })
    }
  }

  /** Under the message's own key: again and again it is one message. */
  send(client: MessagingCrashClient, conversation_id: string, text: string) {
    return client.call('POST', '/v1/messages', this.person.token, { conversation_id, message: text }, text)
  }
}

/** Listens through all lives of the server, each time from where it was. */
export class Listener {
  readonly person: Person
  #past: StreamedEvent[] = []
  #reader: EventReader | undefined

  constructor(person: Person) {
    this.person = person
  }

  get events(): readonly StreamedEvent[] {
    return [...this.#past, ...(this.#reader?.events ?? [])]
  }

  /** Where it is in the log of events. */
  get position(): number | undefined {
    return this.#reader?.position
  }

  /** For the first time: from now on. */
  async begin(base: string): Promise<void> {
    this.#reader = await EventReader.open({ base, token: this.person.token })
  }

  resume(base: string): void {
    this.#past = [...this.events]
    const lastEventId = this.position
    this.#reader?.close()
    this.#reader = new EventReader({ base, token: this.person.token, lastEventId })
  }

  close(): void {
    this.#reader?.close()
  }
}
