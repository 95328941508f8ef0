import { type Classification, higherRisk, type RiskLevel, stricterClassification } from '../domain/classification.ts'
import type { FindingCounts, FindingGroup } from '../domain/finding.ts'

export interface Assessment {
  readonly classification: Classification
  readonly risk: RiskLevel
}

/**
 * What findings of a group make of content at least (GW-POL-7). Hidden text is `medium`: the invisible characters of a
 * smuggled instruction and those that a web page leaves in a pasted sentence look alike, and `high` would cry wolf.
 */
const AT_LEAST: Readonly<Record<FindingGroup, Assessment>> = {
  secret: { classification: 'restricted', risk: 'high' },
  pii: { classification: 'confidential', risk: 'medium' },
  injection: { classification: 'public', risk: 'high' },
  hidden: { classification: 'public', risk: 'medium' },
}

const GROUPS = Object.keys(AT_LEAST) as FindingGroup[]

/** Raises `start` (the Application's default, or an earlier assessment of the same exchange) to what was found. Never lowers it. */
export function assess(counts: FindingCounts, start: Assessment): Assessment {
  let { classification, risk } = start
  for (const group of GROUPS) {
    if (counts[group] === 0) continue
    classification = stricterClassification(classification, AT_LEAST[group].classification)
    risk = higherRisk(risk, AT_LEAST[group].risk)
  }
  return { classification, risk }
}
