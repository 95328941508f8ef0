import type { Detector } from '../classification/detector.ts'
import { assess } from '../classification/risk.ts'
import { scan } from '../classification/scan.ts'
import type { Classification } from '../domain/classification.ts'
import type { DecidingRule, Decision, PolicyPoint } from '../domain/decision.ts'
import type { ReportFault } from '../domain/fault.ts'
import { addCounts, countFindings, type FindingCounts } from '../domain/finding.ts'
import type { User } from '../domain/principal.ts'
import type { Pause } from '../lib/turns.ts'
import type { CompiledPolicy } from '../policy/compile.ts'
import { evaluate, mergeDecisions } from '../policy/evaluate.ts'
import type { PolicyInput } from '../policy/input.ts'
import { applyTransforms } from '../policy/transforms.ts'
import type { Vault } from '../policy/vault.ts'

/** What all hits that one search or one chat may use come to. */
export interface Governed<Hit> {
  /** As policies left them. */
  readonly hits: readonly Hit[]
  /** The decision so far, and what these hits make of it. */
  readonly decision: Decision
  readonly counts: FindingCounts
  /** Transforms that were carried out. */
  readonly transforms: readonly string[]
}

export interface Governing<Hit> {
  readonly point: Extract<PolicyPoint, 'retrieve' | 'recall'>
  readonly limit: number
  /** Lets other requests have the event loop between two hits. */
  readonly pause: Pause
  /** The decision so far. */
  readonly decision: Decision
  readonly policy: CompiledPolicy | undefined
  readonly vault: Vault
  readonly detectors: readonly Detector[]
  readonly budgetMs: number
  readonly reportFault: ReportFault
  /** Everybody who will read what becomes of the hits: a policy that denies a hit to one of them denies it. */
  readonly readers: readonly User[]
  /** Whether a hit that a person has to approve may be used by this exchange; if not, only its verdict counts. */
  readonly mayUse: (decision: Decision) => boolean
  /** Every text of a hit, and the hit with them replaced. */
  readonly texts: (hit: Hit) => readonly string[]
  readonly withTexts: (hit: Hit, texts: readonly string[]) => Hit
  readonly input: (hit: Hit, content: PolicyInput['content']) => PolicyInput
}

/**
 * One search judges no more hits than this: every denied hit costs detectors and rules, and a rule may deny thousands. A page holds
 * 50 at most, so it is short only where rules deny nine of ten (docs/decisions/0011-lexical-search.md).
 */
export const MAX_JUDGED = 512

/**
 * Takes hits, best first, until `limit` of them have passed the policies or MAX_JUDGED were judged. Detectors and policies judge each
 * hit by itself; a denied one is left out and the next takes its place, and so is one over which a detector or a transform fails. Of
 * the others the strictest counts for the whole exchange (decisions.md §2.4a).
 */
export async function governHits<Hit extends { readonly classification: Classification }>(
  batches: AsyncIterable<readonly Hit[]>,
  governing: Governing<Hit>,
): Promise<Governed<Hit>> {
  const hits: Hit[] = []
  const transforms = new Set<string>()
  let { decision } = governing
  let counts = countFindings([])
  const leaveOut = (rules: readonly DecidingRule[]) => {
    decision = mergeDecisions(decision, { ...NO_DEMAND, rules })
  }
  if (governing.limit === 0) return { hits, decision, counts, transforms: [] }

  let left = MAX_JUDGED
  for await (const batch of batches) {
    for (const hit of batch) {
      await governing.pause()
      left -= 1
      const judged = judge(hit, governing)
      const kept = judged.kept
      if (!kept) leaveOut(judged.rules)
      else {
        decision = mergeDecisions(decision, judged.decision)
        counts = addCounts(counts, judged.counts)
        for (const name of judged.transforms) transforms.add(name)
        if (kept.hit) hits.push(kept.hit)
      }
      if (hits.length === governing.limit || left === 0) return { hits, decision, counts, transforms: [...transforms] }
    }
  }
  return { hits, decision, counts, transforms: [...transforms] }
}

const NO_DEMAND: Decision = {
  verdict: 'allow',
  classification: 'public',
  risk: 'low',
  transforms: [],
  directives: [],
  rules: [],
}

type Judged<Hit> =
  | { readonly kept?: undefined; readonly rules: readonly DecidingRule[] }
  | {
      /** Without a hit: its verdict counts, it itself is not shown. */
      readonly kept: { readonly hit?: Hit }
      readonly decision: Decision
      readonly counts: FindingCounts
      readonly transforms: readonly string[]
    }

function judge<Hit extends { readonly classification: Classification }>(hit: Hit, governing: Governing<Hit>): Judged<Hit> {
  const { point, policy, vault, detectors, budgetMs, readers } = governing
  const texts = governing.texts(hit)
  const { findings, counts, failures } = scan(texts, { detectors, budgetMs })
  const broken = (names: readonly string[]) => ({
    rules: names.map((id) => ({ id, point, verdict: 'deny' as const, error: 'failed' })),
  })
  if (failures.length > 0) return broken(failures.map((name) => `detector:${name}`))
  const { classification, risk } = assess(counts, { classification: hit.classification, risk: 'low' })
  const content = { text: texts.join('\n'), classification, riskLevel: risk, findings: counts }
  const input = governing.input(hit, content)
  const decision = readers.map((user) => evaluate(policy, point, { ...input, user })).reduce(mergeDecisions)
  if (decision.verdict === 'deny') return { rules: decision.rules }
  if (decision.verdict === 'require_approval' && !governing.mayUse(decision)) {
    return { kept: {}, decision, counts: countFindings([]), transforms: [] }
  }
  try {
    const found = texts.map((text, index) => ({ text, findings: findings[index] ?? [] }))
    const changed = applyTransforms(found, decision.transforms, vault)
    return { kept: { hit: governing.withTexts(hit, changed.texts) }, decision, counts, transforms: changed.applied }
  } catch (error) {
    governing.reportFault({ kind: 'transform', name: point, how: 'threw', error })
    return broken(['transform'])
  }
}
