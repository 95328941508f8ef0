import type { LeaseExchanger, Lessee } from '../../../src/domains/limits/shared/exchanger.ts'
import type { QuotaAnswer, QuotaRequest } from '../../../src/domains/limits/shared/quota-store.ts'
import type { VirtualStore } from './virtual-stores.ts'

interface Message {
  readonly batch: number
  readonly sentAt: number
  readonly request: QuotaRequest
  /** Absent: it has not arrived at the store. */
  answer?: QuotaAnswer | undefined
  hasArrived: boolean
}

/** Steps of an exchange: it is sent, arrives, is answered, all of these, or its answer is lost; the node crashes and starts again. */
export type ExchangeStep = 'exchange' | 'send' | 'arrive' | 'answer' | 'lose' | 'crash'

/** A node with one lease, whose exchanges the test carries out step by step. */
export class VirtualNode<L extends Lessee> {
  lease: L
  /** Ends of the running requests, oldest first. */
  open: (() => void)[] = []
  readonly #store: VirtualStore
  readonly #offset: number
  readonly #create: (exchanger: LeaseExchanger) => L
  #batch = 0
  #message: Message | undefined
  /** Messages that the node no longer waits for, and that may still arrive. */
  #strays: Message[] = []
  static #holders = 0

  /** `offset`: of the node's clock, in milliseconds. */
  constructor(store: VirtualStore, offset: number, create: (exchanger: LeaseExchanger) => L) {
    this.#store = store
    this.#offset = offset
    this.#create = create
    this.lease = this.#start()
  }

  get now(): number {
    return this.#store.now + this.#offset
  }

  /** Ends the oldest request. */
  settle(): void {
    this.open.shift()?.()
  }

  async act(step: ExchangeStep): Promise<void> {
    if (step === 'send' || step === 'exchange') this.#send()
    if (step === 'arrive' || step === 'exchange') await this.#arrive()
    if (step === 'answer' || step === 'exchange') this.#answer()
    if (step === 'lose') this.#lose()
    if (step === 'crash') this.#crash()
  }

  #send(): void {
    if (this.#message) return
    this.#batch += 1
    this.#message = { batch: this.#batch, sentAt: this.now, request: this.lease.request(this.now), hasArrived: false }
  }

  /** A message that is late arrives before a newer one, or after it. */
  async #arrive(): Promise<void> {
    const message = this.#message?.hasArrived === false ? this.#message : this.#strays.shift()
    if (!message) return
    message.hasArrived = true
    message.answer = (await this.#store.exchange({ batch: message.batch, requests: [message.request] }))[0]
  }

  #answer(): void {
    const { answer, batch, sentAt } = this.#message ?? {}
    if (!answer || batch === undefined || sentAt === undefined) return
    this.#message = undefined
    this.lease.accept(answer, { batch, sentAt, now: this.now })
  }

  #lose(): void {
    if (!this.#message) return
    if (!this.#message.hasArrived) this.#strays.push(this.#message)
    this.#message = undefined
    this.lease.fail(new Error('lost'), this.now)
  }

  #crash(): void {
    this.#lose()
    this.#batch = 0
    this.open = []
    this.lease = this.#start()
  }

  #start(): L {
    return this.#create({
      clock: () => this.now,
      nextHolder: () => `node.${++VirtualNode.#holders}`,
      wake: () => {},
    })
  }
}
