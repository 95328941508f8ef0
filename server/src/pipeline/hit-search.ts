import type { Detector } from '../classification/detector.ts'
import type { Decision } from '../domain/decision.ts'
import type { ReportFault } from '../domain/fault.ts'
import { collectTexts } from '../domain/message.ts'
import type { Viewer } from '../domain/viewer.ts'
import type { Clock } from '../lib/clock.ts'
import type { Turns } from '../lib/turns.ts'
import type { PolicyInput } from '../policy/input.ts'
import type { Admitted, Authorized, Caller, Identity } from './facts.ts'
import type { Governed, Governing } from './governed-hits.ts'
import { Stop } from './outcome.ts'
import { policyInput } from './policy-input.ts'
import type { Exchange } from './request.ts'
import { type Release, releasedAnswer } from './resubmission.ts'
import { viewerOf } from './viewer.ts'

export interface HitDeps {
  readonly detectors: readonly Detector[]
  readonly detectorBudgetMs: number
  readonly clock: Clock
  /** Shared by all searches of the process. */
  readonly turns: Turns
  readonly reportFault: ReportFault
}

interface Asked {
  readonly exchange: Pick<Exchange, 'endpoint'>
  readonly caller: Caller
  readonly admitted: Admitted
  readonly identity: Identity
  readonly leave: Authorized
  readonly limit: number
}

/** What stages 6 and 7 share: who looks, for what, and what the policies are told of it. */
export interface SearchContext {
  readonly viewer: Viewer
  /** As the input policies left it. */
  readonly text: string
  readonly common: Pick<
    Governing<never>,
    'limit' | 'pause' | 'policy' | 'vault' | 'detectors' | 'budgetMs' | 'reportFault' | 'readers' | 'mayUse'
  >
  readonly input: (content: PolicyInput['content']) => PolicyInput
  /** A chat that nobody has approved yet waits for approval where one of its hits demands it. */
  readonly mayHold: boolean
}

/** Longer questions are searched by their end, where people ask; a document pasted before it is no query. */
const MAX_QUERY = 2_000

/** Undefined when there is nothing to look for: a query that may not be answered, an answer that is there already, no question. */
export function hitSearch(
  { exchange, caller, admitted, identity, leave, limit }: Asked,
  { detectors, detectorBudgetMs, clock, turns, reportFault }: HitDeps,
): SearchContext | undefined {
  if (leave.withheld || releasedAnswer(leave.release) || limit === 0) return undefined
  const question = leave.messages.findLast(({ role }) => role === 'user')
  const text = question ? collectTexts([question]).join('\n').slice(-MAX_QUERY).toWellFormed() : ''
  if (text.trim() === '') return undefined
  const now = clock.now()
  const { endpoint } = exchange
  const isChat = endpoint === 'chat'
  return {
    viewer: viewerOf(caller, identity),
    text,
    common: {
      limit,
      pause: turns.pauses(),
      policy: leave.policy,
      vault: leave.vault,
      detectors,
      budgetMs: detectorBudgetMs,
      reportFault,
      readers: identity.readers ?? [identity.user],
      mayUse: (decision) => isChat && approved(decision, leave.release),
    },
    input: ({ text: read, classification, riskLevel, findings }) =>
      policyInput(endpoint, caller.application, admitted, identity, now, {
        texts: [read],
        counts: findings,
        classification,
        risk: riskLevel,
      }),
    mayHold: isChat && !admitted.request.dryRun && leave.release === undefined,
  }
}

/** A chat that is reviewed later may use it, then everything waits; one that was reviewed may use what its reviewer was asked about. */
const approved = ({ rules }: Decision, release: Release | undefined): boolean =>
  release === undefined ||
  rules.every(({ id, verdict }) => verdict !== 'require_approval' || release.item.rules.some((known) => known.id === id))

/** The hold of an exchange that uses what a person has to approve first. */
export const heldByHits = <T extends Governed<unknown>>(found: T, { mayHold }: SearchContext): Stop<T> | undefined =>
  mayHold && found.decision.verdict === 'require_approval' ? new Stop({ kind: 'held', point: 'input' }, found) : undefined
