import type { Completion } from '../../shared/completion.ts'
import type { Decision, PolicyPoint } from '../../shared/decision.ts'
import type { ChatMessage } from '../../shared/message.ts'
import type { User } from '../../shared/principal.ts'

/** Topic of platform/db/signal.ts: a review item has changed. The key is its id (`rev_…`). */
export const REVIEWS_TOPIC = 'reviews'

/** Lifetime of a hold without `hold_expires_in` (GW-REV-15). */
export const HOLD_LIFETIME_MS = 24 * 3_600_000

/** The longest lifetime that a rule can set, and to which reviewers can extend an item. */
export const HOLD_LIMIT_MS = 30 * 24 * 3_600_000

/** Lifetime of an escalation: longer, because no request waits for it and reviewers do not work on weekends. */
export const ESCALATION_LIFETIME_MS = 7 * 24 * 3_600_000

export interface ReviewOwner {
  readonly workspaceId: string
  readonly applicationId: string
}

/** The sender of what an item is opened for: an Application, or a member of the messaging API. TypeIDs. */
export interface ReviewOpener {
  readonly workspaceId: string
  readonly applicationId: string | null
}

/** hold: a request or completion is paused. escalation: nothing is paused (GW-VERD-3). */
export type ReviewKind = 'hold' | 'escalation'

/**
 * A hold: `pending → approved → released`, `pending → denied`, `pending or approved → expired` (GW-REV-3).
 * An escalation: `pending → acknowledged`, `pending → expired`.
 */
export const REVIEW_STATES = ['pending', 'approved', 'released', 'denied', 'acknowledged', 'expired'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export interface Approval {
  readonly by: string
  readonly at: string
  readonly comment: string | null
}

/** Values of a held request in addition to its messages and parameters, so that a preview evaluates the same conditions. */
export interface HeldRequest {
  readonly user: User
  readonly readers?: readonly User[]
  /** As requested; it need not be declared. */
  readonly model: string
  readonly stream: boolean
  readonly maxTokens?: number
  /** A playground request of an operator who may not write memories. */
  readonly memoryDisabled?: boolean
}

/** The content of an item. JSON values only. Sealed in the database, and erased on denial and at expiry. */
export interface HoldContent {
  readonly messages: readonly ChatMessage[]
  /** Other parts of the upstream request: tools, metadata … Undefined: a message of the messaging API. */
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly completion?: Completion
  /** Of the completion's text, before the item was opened (decision 0025). */
  readonly sentCharacters?: number
  readonly provider?: string
  /** Of the held request, in USD, when the item was opened. Undefined: unknown. */
  readonly expectedCost?: number
  readonly asked?: HeldRequest
  /** Other values that a release needs, for example the originals of placeholders. */
  readonly [field: string]: unknown
}

/** The result of a release. JSON values only. Sealed in the database. Every resubmission gets it until expiry (GW-REV-13). */
export type ReleaseResult =
  | ReleasedCompletion
  /** The provider responded, but the completion cannot be sent. It is not called a second time (GW-REV-13). `code`: of errors.ts. */
  | { readonly kind: 'refusal'; readonly code: string; readonly [field: string]: unknown }
  /** The completion of the released request is itself held: the resubmission continues with that hold. */
  | { readonly kind: 'held'; readonly successorId: string }

export interface ReleasedCompletion {
  /** Stored results hold this word. */
  readonly kind: 'answer'
  readonly completion: Completion
  /** The decision at the time of the release; later policies do not change it. */
  readonly decision?: Decision
  readonly transforms?: readonly string[]
  readonly provider?: string
}

interface StoredState {
  readonly state: ReviewState
  readonly expiresAt: Date
}

/** A pending or approved item has expired at `expiresAt`, even before a job marks it. A released item stays released. */
export function stateAt({ state, expiresAt }: StoredState, now: Date): ReviewState {
  const canExpire = state === 'pending' || state === 'approved'
  return canExpire && expiresAt <= now ? 'expired' : state
}

export interface Lease {
  readonly now: Date
  /** Longer than the longest release, with retries, fallbacks and clock drift: an older claim belongs to a node that died. */
  readonly leaseMs: number
  /** Start of the only process of an embedded database: older claims are invalid immediately, not after the lease. */
  readonly exclusiveSince?: Date
}

export type ReleaseStep = 'pending' | 'denied' | 'expired' | 'ready' | 'busy' | 'interrupted' | 'released'

/** A lost claim of a request is `interrupted`: the provider may have been called (GW-REV-13). A held completion is `ready`. */
export function releaseStep(
  hold: StoredState & { readonly point: PolicyPoint; readonly releaseStartedAt: Date | null },
  lease: Lease,
): ReleaseStep {
  const state = stateAt(hold, lease.now) as Exclude<ReviewState, 'acknowledged'>
  if (state === 'released' && hold.expiresAt <= lease.now) return 'expired'
  if (state !== 'approved') return state
  if (hold.releaseStartedAt === null) return 'ready'
  if (!isClaimInvalid(hold.releaseStartedAt, lease)) return 'busy'
  return hold.point === 'output' ? 'ready' : 'interrupted'
}

export const leaseEnd = (startedAt: Date, lease: Lease): Date => new Date(startedAt.getTime() + lease.leaseMs)

const isClaimInvalid = (startedAt: Date, lease: Lease): boolean =>
  leaseEnd(startedAt, lease) <= lease.now || (lease.exclusiveSince !== undefined && startedAt < lease.exclusiveSince)
