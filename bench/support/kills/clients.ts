import { type Answer, CrashClient } from '../crash-client.ts'
import type { Gatehouse } from '../gatehouse.ts'
import { MessagingCrashClient, type Reply } from '../messaging-crash-client.ts'
import type { KillLedger } from './ledger.ts'

/** An address that changes with each request, as behind a balancer. */
export type Entrance = Pick<Gatehouse, 'port' | 'demo'>

/** Responses that tell the caller to try again: the outcome of the request is unknown, as if the connection had broken. */
const RETRY: readonly number[] = [429, 503]

/** Responses with `RETRY` and broken connections, by kind. */
export class Refusals {
  readonly counts = new Map<string, number>()

  /** Returns the response; undefined: the client must repeat the request. */
  filter<T extends { readonly status: number }>(response: T | undefined): T | undefined {
    const isRefused = response === undefined || RETRY.includes(response.status)
    if (!isRefused) return response
    const kind = response === undefined ? 'no response' : String(response.status)
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1)
    return undefined
  }
}

export interface LoadOptions {
  readonly entrance: Entrance
  readonly ledger: KillLedger
  readonly refusals: Refusals
  readonly seed: number
}

/** Tells the callers of a load when it ends. */
export interface Running {
  readonly isOver: boolean
}

type Shared = Omit<LoadOptions, 'seed'>

/** A client of the gateway that sends one request after the other, each to any node. */
export class KillClient extends CrashClient {
  readonly #shared: Shared
  /** Audit ids of chats in the order in which they were answered. Each was sent after the answer to the last. */
  readonly answered: string[] = []

  constructor(shared: Shared) {
    super(shared.entrance)
    this.#shared = shared
  }

  override async chat(body: { readonly governance?: { readonly review_item_id?: string } }): Promise<Answer | undefined> {
    const held = body.governance?.review_item_id
    const answer = this.#shared.refusals.filter(await super.chat(body))
    // Records of holds and releases may get their position after the response.
    if (held === undefined && answer?.auditId !== undefined && [200, 403].includes(answer.status))
      this.answered.push(answer.auditId)
    return answer
  }

  override async approve(id: string): Promise<Answer | undefined> {
    return this.#shared.refusals.filter(await super.approve(id))
  }
}

/** A client of messages, memories and the admin API that sends each request to any node. */
export class KillApiClient extends MessagingCrashClient {
  readonly #refusals: Refusals

  constructor({ entrance, refusals }: Pick<Shared, 'entrance' | 'refusals'>) {
    super(entrance)
    this.#refusals = refusals
  }

  override async call(...request: Parameters<MessagingCrashClient['call']>): Promise<Reply | undefined> {
    return this.#refusals.filter(await super.call(...request))
  }
}
