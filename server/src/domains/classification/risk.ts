import { type Classification, higherRisk, type RiskLevel, stricterClassification } from '../../shared/classification.ts'
import type { FindingCounts, FindingGroup } from '../../shared/finding.ts'

export interface Assessment {
  readonly classification: Classification
  readonly risk: RiskLevel
}

/** Per group of findings (GW-POL-7). Hidden text is `medium`: text pasted from web pages often contains invisible characters. */
const MINIMUM: Readonly<Record<FindingGroup, Assessment>> = {
  secret: { classification: 'restricted', risk: 'high' },
  pii: { classification: 'confidential', risk: 'medium' },
  injection: { classification: 'public', risk: 'high' },
  hidden: { classification: 'public', risk: 'medium' },
}

const GROUPS = Object.keys(MINIMUM) as FindingGroup[]

/** Raises `start` (the Application's default, or an earlier assessment of the request) to the minimum for the findings. */
export function assess(counts: FindingCounts, start: Assessment): Assessment {
  let { classification, risk } = start
  for (const group of GROUPS) {
    if (counts[group] === 0) continue
    classification = stricterClassification(classification, MINIMUM[group].classification)
    risk = higherRisk(risk, MINIMUM[group].risk)
  }
  return { classification, risk }
}
