import type { Classification } from '../domain/classification.ts'
import type { MemoryKind, MemoryScope } from '../domain/memory-words.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Application, Endpoint } from '../domain/principal.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Lease } from '../limits/limiter.ts'
import type { PlaygroundCaller } from './playground-caller.ts'
import type { TrustedCaller } from './trusted-caller.ts'

/** One HTTP exchange as it came in: nothing in it is trusted or understood yet. */
export interface Exchange {
  readonly endpoint: Endpoint
  readonly requestId: string
  readonly authorization: string | undefined
  readonly userToken: string | undefined
  /** Instead of both, where code of this server asks. No door sets it. */
  readonly caller?: TrustedCaller | PlaygroundCaller
  /** The body's bytes; empty for GET. */
  readonly body: Uint8Array
  /** A signal that is aborted when the caller goes away; made when something waits. */
  readonly callerGone: () => AbortSignal
  /** Of an exchange that has waited for a reviewer, and is looked at anew: limits have counted it already. */
  readonly continues?: Lease
  /** The endpoint's own reading of its body: the contract's fields, checked, in the pipeline's words. */
  readonly parse: (body: unknown, application: Application) => Parsed
}

export type Parsed =
  | { readonly ok: true; readonly request: GatewayRequest }
  | {
      readonly ok: false
      /** Default: VALIDATION_ERROR. */
      readonly code?: Extract<ErrorCode, 'PAYLOAD_TOO_LARGE'>
      readonly problem: ErrorFields & { readonly message: string }
    }

/** The Identity Assertion (gateway-api.md, GovernanceUser). */
export interface UserAssertion {
  readonly id: string
  readonly role?: string | null
  readonly department?: string | null
  readonly attributes?: Readonly<Record<string, unknown>> | null
}

/** A validated request of any of the six endpoints. Fields that an endpoint does not have keep the values of EMPTY_REQUEST. */
export interface GatewayRequest {
  /** What the detectors read: chat messages, or the query or the memory as one user message. */
  readonly messages: readonly ChatMessage[]
  /** Empty: the Application's default. */
  readonly model: string
  /** OpenAI fields that go to the provider as they are, without model, messages and stream. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly maxTokens: number | undefined
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly user: UserAssertion | undefined
  readonly sessionId: string
  readonly dryRun: boolean
  readonly reviewItemId: string | undefined
  readonly waitSeconds: number
  /** Audit lookup: whose record is asked for. */
  readonly lookupId: string | undefined
  /** Searches: how many hits at most. */
  readonly limit: number
  /** Memory capture. */
  readonly capture: CaptureFields | undefined
}

/** What a capture says of its memory; the texts themselves are `messages`: the content, then the summary if there is one. */
export interface CaptureFields {
  readonly scope: MemoryScope
  readonly scopeId: string | null
  readonly kind: MemoryKind
  readonly classification: Classification
  readonly regulations: readonly string[]
  readonly expiresAt: Date | null
}

export const EMPTY_REQUEST: GatewayRequest = {
  messages: [],
  model: '',
  parameters: {},
  maxTokens: undefined,
  stream: false,
  includeUsage: false,
  user: undefined,
  sessionId: '',
  dryRun: false,
  reviewItemId: undefined,
  waitSeconds: 0,
  lookupId: undefined,
  limit: 10,
  capture: undefined,
}
