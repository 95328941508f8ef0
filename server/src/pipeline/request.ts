import type { Lease } from '../domains/limits/lease.ts'
import type { MemoryDraft } from '../domains/memory/memory.ts'
import type { ConversationLimits } from '../domains/responses/stored-response-store.ts'
import type { ErrorCode, ErrorFields } from '../errors.ts'
import { parseJsonKeepingNumbers } from '../platform/lib/json.ts'
import type { Completion, CompletionHead } from '../shared/completion.ts'
import { FREE_JSON } from '../shared/free-json.ts'
import { type ChatMessage, collect } from '../shared/message.ts'
import type { RequestSource } from '../shared/original-request.ts'
import { ANONYMOUS_USER, type Application, type Endpoint, type User } from '../shared/principal.ts'
import type { NewStoredContent, StoredContent } from '../shared/stored-content.ts'
import { estimateRequestTokens } from '../shared/tokens.ts'
import type { PlaygroundCaller, TrustedCaller } from './callers.ts'

/** A request as it was received: no part of it is parsed or trusted yet. */
export interface IncomingRequest {
  readonly endpoint: Endpoint
  readonly requestId: string
  /** Id of the audit record, by which the request id finds it. Absent: a new one. */
  readonly auditId?: string | undefined
  readonly authorization: string | undefined
  readonly userToken: string | undefined
  /** Set by code of this server instead of both credentials; no route sets it from the request that it reads. */
  readonly internalCaller?: TrustedCaller | PlaygroundCaller
  readonly body: Uint8Array
  /** A signal that is aborted when the response has ended or the client closes the connection; created only if a stage waits. */
  readonly clientSignal: () => AbortSignal
  readonly early?: EarlyText
  /** Set if the request has waited for a reviewer and runs again: the limits have counted it already. */
  readonly lease?: Lease
  readonly parse: (body: unknown, application: Application, context?: ParseContext) => Parsed
}

/** A streamed response whose text leaves before it is complete (decision 0025). */
export interface EarlyText {
  /** All text that was sent. Empty: the response has not begun. */
  readonly sent: string
  /** Sends the next piece; the first one begins the response. Returns false, and takes nothing, if the client is not ready. */
  send(piece: string, head: EarlyHead): boolean
  /** Calls `run` once when a client that was not ready is ready; never if it leaves. */
  whenReady(run: () => void): void
}

export interface EarlyHead {
  readonly completion: CompletionHead
  readonly application: Application
  readonly admitted: { readonly auditId: string; readonly lease: Lease }
}

export interface ParseContext {
  /** The body with its numbers as they were written (platform/lib/json-numbers.ts). */
  readonly written?: unknown
  readonly history?: readonly StoredContent[]
}

export function parseBody(
  { body, parse }: Pick<IncomingRequest, 'body' | 'parse'>,
  application: Application,
  jsonDepth: number,
  history: readonly StoredContent[] = [],
): Parsed {
  if (body.length === 0) return parse(undefined, application)
  const json = parseJsonKeepingNumbers(body, jsonDepth, FREE_JSON)
  if (!json.ok) return { ok: false, problem: { message: json.problem } }
  return parse(json.value, application, { written: json.written, history })
}

export function withCollectedTexts(request: GatewayRequest) {
  const collected = collect(request.messages)
  return { request, collected, tokens: estimateRequestTokens(request, collected.texts) }
}

export type Parsed =
  | { readonly ok: true; readonly request: GatewayRequest }
  | {
      readonly ok: false
      readonly code?: Extract<ErrorCode, 'PAYLOAD_TOO_LARGE'>
      readonly problem: ErrorFields & { readonly message: string }
    }

/** The user that a request asserts (GW-AUTH-4). */
export interface UserAssertion {
  readonly id: string
  readonly role?: string | null
  readonly department?: string | null
  readonly attributes?: Readonly<Record<string, unknown>> | null
}

/** `isVerified`: a simulation assumes a user token. */
export const assertedUser = (assertion: UserAssertion | undefined, isVerified = false): User =>
  assertion === undefined
    ? ANONYMOUS_USER
    : {
        id: assertion.id,
        role: assertion.role ?? '',
        department: assertion.department ?? '',
        attributes: assertion.attributes ?? {},
        verified: isVerified,
      }

/** A validated request of any of the eight endpoints. Fields that an endpoint does not have keep the values of EMPTY_REQUEST. */
export interface GatewayRequest {
  /** The chat's messages; a query, a memory or each text to embed as one user message. */
  readonly messages: readonly ChatMessage[]
  /** Empty: the Application's default. */
  readonly model: string
  /** OpenAI fields that go to the provider as they are, without model, messages and stream. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly maxTokens: number | undefined
  readonly stream: boolean
  readonly user: UserAssertion | undefined
  readonly sessionId: string
  readonly dryRun: boolean
  readonly reviewItemId: string | undefined
  readonly waitSeconds: number
  /** Audit lookup: id of the record. */
  readonly lookupId: string | undefined
  readonly continues: (ConversationLimits & { readonly responseId: string }) | undefined
  /** Responses: makes what is stored of the response; undefined: it is not stored. */
  readonly toStored: ((completion: Completion, governance: Readonly<Record<string, unknown>>) => NewStoredContent) | undefined
  readonly storedResponse: UsedResponse | undefined
  readonly limit: number
  readonly source: RequestSource | undefined
  /** The fields of a capture; its texts are `messages`: the content, then the summary if there is one. */
  readonly capture: Pick<MemoryDraft, 'scope' | 'scopeId' | 'kind' | 'classification' | 'regulations' | 'expiresAt'> | undefined
}

export interface UsedResponse {
  readonly id: string
  readonly action: 'read' | 'delete'
  /** Why the request does not fit the response; undefined: it does. */
  readonly problemOf?: (content: StoredContent) => ErrorFields | undefined
}

export const EMPTY_REQUEST: GatewayRequest = {
  messages: [],
  model: '',
  parameters: {},
  maxTokens: undefined,
  stream: false,
  user: undefined,
  sessionId: '',
  dryRun: false,
  reviewItemId: undefined,
  waitSeconds: 0,
  lookupId: undefined,
  continues: undefined,
  toStored: undefined,
  storedResponse: undefined,
  limit: 10,
  source: undefined,
  capture: undefined,
}
