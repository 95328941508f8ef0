import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { Completion } from '../domain/completion.ts'
import type { DecidingRule, Decision, PolicyPoint, PolicyVersion } from '../domain/decision.ts'
import type { ChatMessage } from '../domain/message.ts'
import type { Endpoint } from '../domain/principal.ts'

/** Signal topic under which nodes tell each other the id of an item that changed. */
export const REVIEWS_TOPIC = 'reviews'

/** How long a hold waits when no rule says `hold_expires_in` (GW-REV-15). */
export const HOLD_LIFETIME_MS = 24 * 3_600_000

/** How long an escalation keeps what it shows: nothing waits for it, so a long weekend must not empty it. */
export const ESCALATION_LIFETIME_MS = 7 * 24 * 3_600_000

/** Whose items a caller may touch: the Workspace, and the calling Application within it. TypeIDs. */
export interface ReviewOwner {
  readonly workspaceId: string
  readonly applicationId: string
}

/** Who opens an item: an Application's exchange, or a message of the messaging API, which no Application sends. */
export interface ReviewOpener {
  readonly workspaceId: string
  /** null: a message. */
  readonly applicationId: string | null
}

/** hold: a request or an answer waits for it. escalation: the answer has left already (GW-VERD-3). */
export type ReviewKind = 'hold' | 'escalation'

/**
 * Of a hold: `pending → approved → released`, `pending → denied`, `pending or approved → expired` (GW-REV-3).
 * Of an escalation: `pending → acknowledged`, `pending → expired`.
 */
export const REVIEW_STATES = ['pending', 'approved', 'released', 'denied', 'acknowledged', 'expired'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

/** What an item shows to everybody who may see it: never content. Ids are TypeIDs. */
export interface ReviewItem {
  /** `rev_…` */
  readonly id: string
  readonly kind: ReviewKind
  /** By the clock of whoever read it, whatever the table says. */
  readonly state: ReviewState
  readonly workspaceId: string
  /** null: a message of the messaging API. */
  readonly applicationId: string | null
  /** `msg_…`, of the message that it is about; null: an exchange of the gateway. */
  readonly messageId: string | null
  /** Empty when the request named nobody. */
  readonly userId: string
  readonly sessionId: string | null
  readonly endpoint: Endpoint | 'message'
  readonly point: PolicyPoint
  /** The reasons. */
  readonly rules: readonly DecidingRule[]
  readonly classification: Classification
  readonly riskLevel: RiskLevel
  /** Finding type or group → count. */
  readonly findings: Readonly<Record<string, number>>
  /** What the item is bound to, see request-hash.ts. */
  readonly requestHash: Buffer
  /** The policy set version that opened the item; null when there was none (a detector's failure). */
  readonly policy: PolicyVersion | null
  readonly model: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly decidedBy: string | null
  readonly decidedAt: Date | null
  readonly comment: string | null
  /** Record of the exchange that opened the item. */
  readonly auditId: string
  readonly releasedAt: Date | null
  /** Record of the exchange that released it. */
  readonly releasedAuditId: string | null
  /** The item that the release was held as in turn: request approved, then its answer held. */
  readonly successorId: string | null
  /** The API key that opened it; null: a message, or an exchange without a key. */
  readonly keyId: string | null
  /** Operators who issued a key with which it was asked for: they may not decide on it. */
  readonly keyIssuers: readonly string[]
}

/** What reviewers look at and an output hold releases. JSON values only; sealed at rest, erased on denial and at expiry. */
export interface HoldContent {
  readonly messages: readonly ChatMessage[]
  /** What else the provider would get, and policies have read: tools, metadata, … Undefined: a message of the messaging API. */
  readonly parameters?: Readonly<Record<string, unknown>>
  /** The held answer: output holds, and escalations at output. */
  readonly completion?: Completion
  /** Who gave it. */
  readonly provider?: string
  /** Whatever else a release needs: placeholders to restore, … */
  readonly [field: string]: unknown
}

/** What a release answered. JSON values only; sealed at rest and handed out again to every resubmission until expiry. */
export type ReleaseResult = ReleasedAnswer | ReleasedRefusal | ReleaseHeld

export interface ReleasedAnswer {
  readonly kind: 'answer'
  readonly completion: Completion
  /** What was decided on it, whatever the policies say by the time it is repeated. */
  readonly decision?: Decision
  /** Those that were carried out. */
  readonly transforms?: readonly string[]
  /** Who gave it. */
  readonly provider?: string
}

/** The provider was called, and its answer may not leave: repeating the call would not be “at most once”. */
export interface ReleasedRefusal {
  readonly kind: 'refusal'
  /** A code of errors.ts. */
  readonly code: string
  readonly [field: string]: unknown
}

/** The released request's answer was held in turn: go on with that hold. */
export interface ReleaseHeld {
  readonly kind: 'held'
  /** `rev_…` */
  readonly successorId: string
}

/** The part of an item that its state depends on. */
interface Standing {
  /** As stored. */
  readonly state: string
  readonly expiresAt: Date
}

/**
 * The state of an item by the clock: what still waits when its time is up has expired, swept or not. A release stays a
 * release: that its answer is not repeated after `expiresAt` is {@link releaseStep}'s business.
 */
export function stateAt(item: Standing, now: Date): ReviewState {
  const state = item.state as ReviewState
  const waits = state === 'pending' || state === 'approved'
  return waits && item.expiresAt <= now ? 'expired' : state
}

/** How long a claim counts as being worked on, seen from `now`. */
export interface Lease {
  readonly now: Date
  /**
   * Longer than the longest release takes (retries, fallbacks and the nodes' clock difference included): an older claim was
   * left by a node that died.
   */
  readonly leaseMs: number
  /**
   * Where one process has the database to itself (embedded): when it started. Claims from before are nobody's, at once;
   * without it, a restarted node takes the lease to tell so.
   */
  readonly exclusiveSince?: Date
}

/** What a resubmission finds; `ready` alone may go on. */
export type ReleaseStep = 'pending' | 'denied' | 'expired' | 'ready' | 'busy' | 'interrupted' | 'released'

/**
 * What a resubmission of a hold may do now. A claim that nobody works on any more is `interrupted` when a provider may
 * have been called under it (at most once, GW-REV-13), and free again when the answer was there before: an
 * output hold's.
 */
export function releaseStep(
  hold: Standing & { readonly point: string; readonly releaseStartedAt: Date | null },
  lease: Lease,
): ReleaseStep {
  const state = stateAt(hold, lease.now) as Exclude<ReviewState, 'acknowledged'>
  if (state === 'released' && hold.expiresAt <= lease.now) return 'expired'
  if (state !== 'approved') return state
  if (hold.releaseStartedAt === null) return 'ready'
  if (!isOrphaned(hold.releaseStartedAt, lease)) return 'busy'
  return hold.point === 'output' ? 'ready' : 'interrupted'
}

/** When a claim that is being worked on now would stop counting as such. */
export const leaseEnd = (startedAt: Date, lease: Lease): Date => new Date(startedAt.getTime() + lease.leaseMs)

const isOrphaned = (startedAt: Date, lease: Lease): boolean =>
  leaseEnd(startedAt, lease) <= lease.now || (lease.exclusiveSince !== undefined && startedAt < lease.exclusiveSince)
