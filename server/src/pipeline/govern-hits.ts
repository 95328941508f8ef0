import { mergeDecisions } from '../domains/policy/evaluate.ts'
import type { PolicyInput } from '../domains/policy/input.ts'
import type { Vault } from '../domains/policy/vault.ts'
import type { Ranker } from '../domains/retrieval/rank.ts'
import { type Release, releasedCompletion } from '../domains/review/resubmission.ts'
import type { Db } from '../platform/db/database.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { MaybePromise } from '../platform/lib/maybe-promise.ts'
import type { Pause, TimeSlices } from '../platform/lib/time-slices.ts'
import type { Classification } from '../shared/classification.ts'
import { type Decision, NO_DEMANDS, type PolicyPoint } from '../shared/decision.ts'
import { addCounts, NOTHING_FOUND } from '../shared/finding.ts'
import { type ChatMessage, collectTexts } from '../shared/message.ts'
import { Stop } from '../shared/outcome.ts'
import type { ServiceCall } from '../shared/service-call.ts'
import { type Viewer, viewerOf } from '../shared/viewer.ts'
import { faultRules, type GovernDeps, type Governed, govern, type RuleSet } from './govern.ts'
import { type Authorized, type GovernedHits, policyInputOf, type RequestContext, type SearchContext } from './stage-results.ts'

export interface HitDeps extends GovernDeps {
  readonly clock: Clock
  readonly timeSlices: TimeSlices
}

/** A search of hits that policies govern. */
export interface SearchDeps extends HitDeps {
  readonly db: Db
  readonly ranker: Ranker
}

export interface HitKind<Hit> {
  readonly point: Extract<PolicyPoint, 'retrieve' | 'recall' | 'output'>
  readonly texts: (hit: Hit) => readonly string[]
  readonly withTexts: (hit: Hit, texts: readonly string[]) => Hit
  readonly subject: (hit: Hit) => Pick<PolicyInput, 'hit' | 'memory'>
}

export interface HitSearch extends Required<RuleSet> {
  readonly viewer: Viewer
  /** The question with the transforms of input rules applied. */
  readonly text: string
  /** Earlier questions of a chat, latest first. */
  readonly earlier: readonly string[]
  /** Of the request's content. */
  readonly classification: Classification
  /** The region to which a policy limits the request (directive `route:region`); undefined: none. */
  readonly region: string | undefined
  readonly limit: number
  readonly vault: Vault
  /** Whether a hit that requires approval may be used; if not, only its verdict counts. */
  readonly isAllowed: (decision: Decision) => boolean
  /** Whether the request is held if a hit requires approval: a chat that no reviewer has approved yet. */
  readonly mayHold: boolean
  readonly pause: Pause
}

export type HitGoverning = Omit<HitSearch, 'viewer' | 'text' | 'earlier' | 'classification' | 'region' | 'mayHold'>

/** Characters. Only the end of a longer question is searched, because a pasted document usually comes first. */
const MAX_QUERY = 2_000
/** A follow-up (“And for contractors?”) finds its topic in the questions before it. */
const EARLIER_QUESTIONS = 2
const MAX_EARLIER = 500

/** Undefined: no search, because the query is denied, the completion is already released, or there is no question. */
export function prepareHitSearch(
  context: RequestContext,
  { policy, vault, release, withheld, messages, decision, directives }: Authorized,
  limit: number,
  { clock, timeSlices }: Pick<HitDeps, 'clock' | 'timeSlices'>,
): HitSearch | undefined {
  if (withheld || releasedCompletion(release) || limit === 0) return undefined
  const [question, ...before] = messages
    .filter(({ role }) => role === 'user')
    .slice(-1 - EARLIER_QUESTIONS)
    .reverse()
  const text = question ? endOf(question, MAX_QUERY) : ''
  if (text.trim() === '') return undefined
  const { incoming, caller, admitted, identity } = context
  const isChat = incoming.endpoint === 'chat'
  return {
    viewer: viewerOf(caller, identity),
    text,
    earlier: before.map((message) => endOf(message, MAX_EARLIER)),
    classification: decision.classification,
    region: directives.region,
    limit,
    policy,
    input: policyInputOf(context, clock.now()),
    readers: identity.readers ?? [identity.user],
    vault,
    isAllowed: (decision) => decision.verdict !== 'require_approval' || (isChat && isApproved(decision, release)),
    mayHold: isChat && !admitted.request.dryRun && release === undefined,
    pause: timeSlices.pauses(),
  }
}

/** Adds a call of the embedder or the reranker to those of the request. */
export const callReporter =
  ({ serviceCalls }: Pick<SearchContext, 'serviceCalls'>, stage: NonNullable<ServiceCall['stage']>) =>
  (call: ServiceCall): void =>
    void serviceCalls.push({ ...call, stage })

const endOf = (message: ChatMessage, characters: number): string =>
  collectTexts([message]).join('\n').slice(-characters).toWellFormed()

/** A chat is held afterwards as a whole; a released one may use the hits that its reviewer approved. */
const isApproved = ({ rules }: Decision, release: Release | undefined): boolean =>
  release === undefined ||
  rules.every(({ id, verdict }) => verdict !== 'require_approval' || release.item.rules.some((known) => known.id === id))

export const holdForHits = <Hits extends GovernedHits<unknown>>(hits: Hits, { mayHold }: Pick<HitSearch, 'mayHold'>) =>
  mayHold && hits.decision.verdict === 'require_approval' ? new Stop<Hits>({ kind: 'held', point: 'input' }, hits) : hits

/** Each denied hit costs detectors and rules (docs/decisions/0011-lexical-search.md). */
export const MAX_GOVERNED = 512

/**
 * Takes hits, best first, until `limit` of them passed or MAX_GOVERNED were governed. Each hit is governed by itself. A denied hit, and
 * one on which a detector or transform fails, is left out and the next takes its place. The strictest decision on the other hits
 * counts for the whole request (GW-VERD-8).
 */
export async function governHits<Hit extends { readonly classification: Classification }>(
  batches: AsyncIterable<readonly Hit[]>,
  search: HitGoverning,
  kind: HitKind<Hit>,
  before: Decision,
  deps: GovernDeps,
): Promise<GovernedHits<Hit>> {
  const hits: Hit[] = []
  const transforms = new Set<string>()
  let decision = before
  let counts = NOTHING_FOUND
  let left = search.limit === 0 ? 0 : MAX_GOVERNED
  const governed = () => ({ hits, decision, counts, transforms: [...transforms] })
  if (left === 0) return governed()

  for await (const batch of batches) {
    for (const hit of batch) {
      await search.pause()
      left -= 1
      const result = await governHit(hit, search, kind, deps)
      decision = mergeDecisions(decision, decisionOnHit(result, kind.point))
      if (result.value !== undefined) {
        counts = addCounts(counts, result.scanned.counts)
        for (const name of result.transforms) transforms.add(name)
        hits.push(result.value)
      }
      if (hits.length === search.limit || left === 0) return governed()
    }
  }
  return governed()
}

export const governHit = <Hit extends { readonly classification: Classification }>(
  hit: Hit,
  { policy, input, readers, vault, isAllowed }: HitGoverning,
  { point, texts, withTexts, subject }: HitKind<Hit>,
  deps: GovernDeps,
): MaybePromise<Governed<Hit>> =>
  govern(
    { texts: texts(hit), start: { classification: hit.classification, risk: 'low' } },
    point,
    {
      policy,
      input: { ...input, ...subject(hit) },
      readers,
      vault,
      isAllowed: (decision) => decision.verdict !== 'deny' && isAllowed(decision),
      replace: (changed) => withTexts(hit, changed),
    },
    deps,
  )

/** A hit that is left out demands nothing; its rules stay in the record, where the Application does not see them. */
function decisionOnHit({ decision, failed }: Governed<unknown>, point: PolicyPoint): Decision {
  if (failed.length === 0 && decision.verdict !== 'deny') return decision
  const rules = failed.length > 0 ? faultRules(point, failed) : decision.rules
  return { ...NO_DEMANDS, rules: rules.map((rule) => ({ ...rule, left_out: true })) }
}
