import { type DecidingRule, type Decision, type PolicyPoint, stricterVerdict } from '../../../shared/decision.ts'
import type { CompiledPolicy } from '../compile.ts'
import { mergeDecisions } from '../evaluate.ts'
import type { Rule } from '../policy.ts'
import { findHashedNameUses, type HashedNameUses } from './hashed-names.ts'
import type { StoredInput, StoredPoint, StoredRequest } from './stored-input.ts'

export interface UndecidedRule {
  readonly rule: string
  readonly point: PolicyPoint
  /** The name that the rule reads and that is not stored; undefined: the point as a whole is not stored. */
  readonly missing: string | undefined
  readonly unreached: boolean
}

export interface ReplayResult {
  readonly before: ReplayedDecision
  readonly after: ReplayedDecision
  readonly unknown: readonly UndecidedRule[]
  readonly kind: 'unchanged' | 'changed' | 'unknown'
}

/** A string is the error of a failed condition; undefined: not known. */
type Outcome = boolean | string | undefined

/** A rule whose condition was in the original policy keeps its recorded outcome; only new conditions are evaluated. */
export class Replayer {
  readonly #draft: CompiledPolicy
  readonly #uses = new Map<Rule, HashedNameUses>()

  constructor(draft: CompiledPolicy) {
    this.#draft = draft
    for (const rule of new Set(Object.values(draft.rules).flat())) this.#uses.set(rule, findHashedNameUses(rule.when))
  }

  get compared(): HashedNameUses['compared'] {
    return [...this.#uses.values()].flatMap(({ compared }) => compared)
  }

  /** `original`: the policy that was active when the request was recorded; undefined: none. */
  replay(request: StoredRequest, original: CompiledPolicy | undefined): ReplayResult {
    const before = decideRequest(request, original, (rule, { point }) => recordedOutcome(request, rule, point))
    const now = decideRequest(request, this.#draft, (rule, storedPoint, undecided) => {
      const outcome = keptOutcome(request, original, rule, storedPoint.point)
      return outcome === undefined ? this.#evaluate(rule, storedPoint, undecided) : outcome
    })
    const isChanged = isCertainlyDifferent(before.decision, now.decision, now.possible)
    const kind = isChanged ? 'changed' : now.undecided.length > 0 ? 'unknown' : 'unchanged'
    return { before: before.decision, after: now.decision, unknown: now.undecided, kind }
  }

  #evaluate(rule: Rule, { point, input }: StoredPoint, undecided: UndecidedRule[]): Outcome {
    if (!input) {
      undecided.push({ rule: rule.id, point, missing: undefined, unreached: false })
      return undefined
    }
    input.begin(this.#uses.get(rule)?.otherUses ?? new Set())
    const outcome = evaluateCondition(rule, input)
    if (typeof outcome === 'boolean' || input.missing === undefined) return outcome
    undecided.push({ rule: rule.id, point, missing: input.missing, unreached: false })
    return undefined
  }
}

function evaluateCondition(rule: Rule, { input, bindings }: StoredInput): boolean | string {
  try {
    return rule.condition(input, bindings)
  } catch {
    return 'failed'
  }
}

function recordedOutcome({ rules }: StoredRequest, { id }: Rule, point: PolicyPoint): Outcome {
  const recorded = rules.find((rule) => rule.id === id && rule.point === point)
  return recorded ? (recorded.error ?? true) : false
}

/** The recorded outcome of a rule with the same condition, under any id; undefined: the original policy has no such rule. */
function keptOutcome(request: StoredRequest, original: CompiledPolicy | undefined, rule: Rule, point: PolicyPoint): Outcome {
  const sameRule = original?.rules[point].find(
    ({ when, onError }) => when === rule.when && (onError === 'deny' || rule.onError === 'skip'),
  )
  return sameRule && recordedOutcome(request, sameRule, point)
}

const NEUTRAL: Decision = { verdict: 'allow', classification: 'public', risk: 'low', transforms: [], directives: [], rules: [] }

/** `possible`: the decision as if all undecided rules matched. */
function decideRequest(
  { points, rules }: StoredRequest,
  policy: CompiledPolicy | undefined,
  findOutcome: (rule: Rule, storedPoint: StoredPoint, undecided: UndecidedRule[]) => Outcome,
) {
  const undecided: UndecidedRule[] = []
  let decision = NEUTRAL
  let possible = NEUTRAL
  for (const storedPoint of points) {
    const { point, state, disabledBy } = storedPoint
    const pointRules = policy?.rules[point] ?? []
    if (state === 'unused' || (disabledBy !== undefined && decision.directives.includes(disabledBy))) continue
    if (state === 'unreached') {
      for (const rule of pointRules) {
        undecided.push({ rule: rule.id, point, missing: undefined, unreached: true })
        possible = mergeDecisions(possible, matchingDecision(rule, storedPoint))
      }
      continue
    }
    const faults = faultDecision(rules, storedPoint, policy)
    let [here, possibleHere] = [faults, faults]
    for (const rule of pointRules) {
      const outcome = findOutcome(rule, storedPoint, undecided)
      if (outcome === undefined) possibleHere = mergeDecisions(possibleHere, matchingDecision(rule, storedPoint))
      const decided = outcome === true ? matchingDecision(rule, storedPoint) : failureDecision(rule, storedPoint, outcome)
      if (decided) [here, possibleHere] = [mergeDecisions(here, decided), mergeDecisions(possibleHere, decided)]
    }
    decision = mergeDecisions(decision, here)
    possible = mergeDecisions(possible, possibleHere)
    if (storedPoint.endingVerdicts.includes(here.verdict)) break
  }
  return { decision, possible, undecided }
}

function matchingDecision(
  { id, verdict, risk, classification, transforms, directives }: Rule,
  { point, effectiveVerdicts }: StoredPoint,
): Decision {
  return {
    verdict: effectiveVerdicts[verdict] ?? verdict,
    classification: classification ?? NEUTRAL.classification,
    risk: risk ?? NEUTRAL.risk,
    transforms,
    directives,
    rules: [{ id, point, verdict }],
  }
}

function failureDecision(
  { id, onError }: Rule,
  { point, effectiveVerdicts }: StoredPoint,
  outcome: Outcome,
): Decision | undefined {
  if (typeof outcome !== 'string' || onError === 'skip') return undefined
  return { ...NEUTRAL, verdict: effectiveVerdicts.deny ?? 'deny', rules: [{ id, point, verdict: 'deny', error: outcome }] }
}

/** The denial by detectors and transforms that failed in the recorded request. */
function faultDecision(
  rules: readonly DecidingRule[],
  { point, effectiveVerdicts }: StoredPoint,
  policy: CompiledPolicy | undefined,
): Decision {
  const ruleIds = new Set(policy?.rules[point].map(({ id }) => id))
  const faults = rules.filter(
    (rule) => rule.point === point && rule.error === 'failed' && isFault(rule.id) && !ruleIds.has(rule.id),
  )
  if (faults.length === 0) return NEUTRAL
  return { ...NEUTRAL, verdict: effectiveVerdicts.deny ?? 'deny', rules: faults }
}

const isFault = (id: string): boolean => id === 'transform' || id.startsWith('detector:')

/**
 * The decision on a recorded request. Obligations are included whether or not they changed a text. `classification` and `risk`: the minimum
 * that rules raise them to.
 */
export type ReplayedDecision = Omit<Decision, 'holdExpiresInMs' | 'approvals'>

/** Whether the decision changed for certain: it is at least `after`, and `possible` if all undecided rules match. */
function isCertainlyDifferent(before: ReplayedDecision, after: ReplayedDecision, possible: ReplayedDecision): boolean {
  const listDiffers = (list: (decision: ReplayedDecision) => readonly string[]): boolean => {
    const [beforeSet, afterSet, possibleSet] = [new Set(list(before)), new Set(list(after)), new Set(list(possible))]
    return [...afterSet].some((item) => !beforeSet.has(item)) || [...beforeSet].some((item) => !possibleSet.has(item))
  }
  const verdictDiffers =
    stricterVerdict(after.verdict, before.verdict) !== before.verdict ||
    stricterVerdict(possible.verdict, before.verdict) !== possible.verdict
  return (
    verdictDiffers ||
    listDiffers(({ transforms }) => transforms) ||
    listDiffers(({ directives }) => directives) ||
    listDiffers(({ rules }) => rules.map(({ id, point, verdict, error = '' }) => `${point} ${id} ${verdict} ${error}`)) ||
    levelDiffers(before, after, possible)
  )
}

/** Whether classification or risk changed, if undecided rules do not influence them. */
const levelDiffers = (before: ReplayedDecision, after: ReplayedDecision, possible: ReplayedDecision): boolean =>
  after.classification === possible.classification &&
  after.risk === possible.risk &&
  (before.classification !== after.classification || before.risk !== after.risk)
