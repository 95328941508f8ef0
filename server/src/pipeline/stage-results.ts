import type { AuditRecord } from '../domains/audit/record/record.ts'
import type { Reservation } from '../domains/budgets/ledger.ts'
import type { Assessment } from '../domains/classification/risk.ts'
import type { Passage } from '../domains/knowledge/search.ts'
import type { Lease } from '../domains/limits/lease.ts'
import type { MemoryDraft } from '../domains/memory/memory.ts'
import type { RecalledMemory } from '../domains/memory/recall.ts'
import type { CompiledPolicy } from '../domains/policy/compile.ts'
import { type CombinedDirectives, combineDirectives } from '../domains/policy/directives.ts'
import type { PolicyInput } from '../domains/policy/input.ts'
import { Vault } from '../domains/policy/vault.ts'
import type { Candidate, ModelEntry } from '../domains/providers/route.ts'
import type { StoredResponse } from '../domains/responses/stored-response-store.ts'
import type { Release } from '../domains/review/resubmission.ts'
import type { Completion, ProviderAttempt } from '../shared/completion.ts'
import { type Decision, NO_DEMANDS } from '../shared/decision.ts'
import type { Embeddings } from '../shared/embedding.ts'
import { type FindingCounts, NOTHING_FOUND } from '../shared/finding.ts'
import type { ChatMessage, Collected } from '../shared/message.ts'
import { ANONYMOUS_USER, type Application, type User } from '../shared/principal.ts'
import type { ServiceCall } from '../shared/service-call.ts'
import type { Spending } from '../shared/spending.ts'
import { estimateTokens } from '../shared/tokens.ts'
import { toolNamesOf } from '../shared/tool-call.ts'
import { NOTHING_UNREAD, type Unread } from '../shared/unread.ts'
import type { Scanned } from './govern.ts'
import type { GatewayRequest, IncomingRequest } from './request.ts'

/** The result of each stage, by its name. A later stage takes the results that it needs as arguments, so the types keep the order. */
export interface StageResults {
  authenticate: Caller
  admit: Admitted
  identify: Identity
  classify: Classified
  authorize: Authorized
  retrieve: Retrieved
  recall: Recalled
  /** Of stages 6 and 7, also if one of them fails. */
  serviceCalls: readonly ServiceCall[]
  route: Route
  /** The amounts that budgets have set aside for stage 9, from before the call of the provider on; absent: no budget counts the request. */
  reservation: CallReservation
  invoke: Invoked
  inspect: Inspected
  remember: Remembered
}

/** The results of stages 1 to 3, with the request itself: most later stages need them. */
export interface RequestContext {
  readonly incoming: Pick<IncomingRequest, 'endpoint' | 'clientSignal' | 'early'>
  readonly caller: Caller
  readonly admitted: Admitted
  readonly identity: Identity
}

export interface SearchContext extends RequestContext {
  /** Calls of the embedder and the reranker so far; the stages that search add theirs. */
  readonly serviceCalls: ServiceCall[]
}

export interface Caller {
  readonly application: Application
  /** Empty: code of this server calls without a key. */
  readonly keyId: string
  readonly keyIssuer?: string
  /** The operator who uses the Application in the playground, without a key. */
  readonly operatorId?: string
  /** Memories are decided on and not stored, because the operator may not write memories. */
  readonly memoryDisabled?: boolean
}

/** The values of conditions (GW-POL-5) except the content: the same at every point. */
export const policyInputOf = (
  { incoming, caller, admitted: { request, tokens, priced }, identity }: RequestContext,
  now: Date,
): Omit<PolicyInput, 'content'> => {
  const { id, name, settings, defaultModel } = caller.application
  return {
    user: identity.user,
    application: { id, name, settings },
    request: {
      endpoint: incoming.endpoint,
      model: request.model || (defaultModel ?? ''),
      sessionId: identity.sessionId,
      stream: request.stream,
      dryRun: request.dryRun,
      messageCount: request.messages.length,
      tokens,
      maxTokens: request.maxTokens ?? 0,
      tools: toolNamesOf(request.parameters),
      priced,
    },
    now,
  }
}

/** The values of conditions on a completion, except its texts. Without the provider's count, `texts` give its tokens. */
export const responseInputOf = ({ model, choices, usage }: Completion, provider: string, texts: readonly string[]) => ({
  model,
  provider,
  finishReason: choices[0]?.finish_reason ?? '',
  tokens: usage?.completion_tokens ?? estimateTokens(texts),
})

export const ownerOf = ({ application }: Caller) => ({ workspaceId: application.workspaceId, applicationId: application.id })

/** The decision of the last stage that decided; it includes those of the stages before it. */
export const decisionOf = (results: Partial<StageResults>): Decision | undefined => {
  const { classify, authorize, retrieve, recall, inspect, remember } = results
  return (remember ?? inspect ?? recall ?? retrieve ?? authorize)?.decision ?? classify?.denial
}

export const transformsOf = ({ authorize, retrieve, recall, inspect, remember }: Partial<StageResults>): readonly string[] => [
  ...new Set([authorize, retrieve, recall, inspect, remember].flatMap((stage) => stage?.transforms ?? [])),
]

export interface Admitted {
  readonly request: GatewayRequest
  readonly collected: Collected
  /** Id of the audit record that every outcome from here on is written to. */
  readonly auditId: string
  /** Estimate over everything the detectors will read. */
  readonly tokens: number
  readonly bytes: number
  /** Whether every model that may be called has a price; absent: no model is called. */
  readonly priced?: boolean
  readonly continuedId?: string
  readonly lease: Lease
}

export interface Identity {
  readonly user: User
  /** All users who will read the completion; absent: `user` alone. */
  readonly readers?: readonly User[]
  readonly sessionId: string
}

/** The texts of the messages, then of the parameters that are passed on. */
export interface Classified extends Scanned {
  /** How many of `texts` come from messages. */
  readonly messageTexts: number
  /** Set when a detector failed: the denial that ends the request. */
  readonly denial?: Decision
}

export interface Authorized {
  readonly decision: Decision
  readonly policy: CompiledPolicy | undefined
  /** As the provider will see them: transforms applied. */
  readonly messages: readonly ChatMessage[]
  readonly parameters: Readonly<Record<string, unknown>>
  readonly transforms: readonly string[]
  readonly vault: Vault
  readonly directives: CombinedDirectives
  readonly systemTexts: readonly string[]
  readonly context: string
  /** The hashes that a hold of this request is bound to; computed on demand. */
  readonly requestHash: () => Buffer
  readonly release: Release | undefined
  /** A search whose query is denied: 200 without hits. */
  readonly withheld: boolean
  readonly auditRecord: AuditRecord | undefined
  readonly storedResponse?: StoredResponse
}

export interface GovernedHits<Hit> {
  /** Best first; transforms applied. */
  readonly hits: readonly Hit[]
  /** The decision so far, merged with those on the hits. */
  readonly decision: Decision
  readonly counts: FindingCounts
  readonly transforms: readonly string[]
}

export type Retrieved = GovernedHits<Passage>
export type Recalled = GovernedHits<RecalledMemory>

export interface Route {
  readonly tokens: () => number
  readonly candidates: readonly Candidate[]
  readonly models: readonly ModelEntry[]
}

export interface Invoked {
  readonly completion: Completion | undefined
  readonly embeddings?: Embeddings
  /** Id of the provider that answered; empty: none was called. */
  readonly provider: string
  readonly attempts: readonly ProviderAttempt[]
  readonly denial?: EarlyDenial
}

export interface EarlyDenial extends Assessment {
  readonly decision: Decision
  readonly counts: FindingCounts
  /** Estimate for the beginning: the provider does not count the tokens of a response that is stopped. */
  readonly tokens: number
}

export interface Inspected {
  /** Input and output together. */
  readonly decision: Decision
  readonly counts: FindingCounts
  /** The values of conditions at output, except the texts; undefined: no rule was evaluated. */
  readonly outputContext?: Pick<PolicyInput['content'], 'classification' | 'riskLevel'> &
    Pick<PolicyInput, 'response'> & { readonly unread?: Unread }
  /** As the client receives it: pseudonyms restored, transforms applied. */
  readonly completion: Completion | undefined
  readonly passages: readonly Passage[]
  readonly memories: readonly RecalledMemory[]
  readonly transforms: readonly string[]
}

/** Memories of the request; the record stage stores them in the transaction of the record. */
export interface Remembered {
  readonly drafts: readonly MemoryDraft[]
  readonly decision: Decision
  readonly transforms: readonly string[]
  readonly attempts: readonly ProviderAttempt[]
}

export const UNIDENTIFIED: Identity = { user: ANONYMOUS_USER, sessionId: '' }

export const UNCLASSIFIED: Classified = {
  texts: [],
  findings: [],
  messageTexts: 0,
  joined: '',
  unread: NOTHING_UNREAD,
  counts: NOTHING_FOUND,
  classification: 'public',
  risk: 'low',
  failed: [],
}

export const NOTHING_DECIDED: Authorized = {
  decision: NO_DEMANDS,
  policy: undefined,
  messages: [],
  parameters: {},
  transforms: [],
  vault: new Vault(),
  directives: combineDirectives([]),
  systemTexts: [],
  context: '',
  requestHash: () => Buffer.alloc(0),
  release: undefined,
  withheld: false,
  auditRecord: undefined,
}

export const noHits = (decision: Decision): GovernedHits<never> => ({
  decision,
  hits: [],
  counts: UNCLASSIFIED.counts,
  transforms: [],
})

export const NO_ROUTE: Route = { tokens: () => 0, candidates: [], models: [] }

export const NOT_INVOKED: Invoked = { completion: undefined, provider: '', attempts: [] }

export const uninspected = ({ decision }: Authorized): Inspected => ({
  decision,
  counts: UNCLASSIFIED.counts,
  completion: undefined,
  passages: [],
  memories: [],
  transforms: [],
})

export const nothingRemembered = ({ decision }: Inspected): Remembered => ({ drafts: [], decision, transforms: [], attempts: [] })

/** The amounts that are set aside for a request, for each call of a provider. */
export interface CallReservation extends Reservation {
  /** The most tokens of the request itself. */
  readonly inputTokens: number
  /** Of one call. Retries and fallbacks use the same reservation. */
  readonly call: Spending
  /** Of one call of the model that extracts memories. */
  readonly extraction: Spending
}
