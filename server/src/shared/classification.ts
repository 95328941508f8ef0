/** How sensitive content is, mildest first (GW-ENUM-1). */
export const CLASSIFICATIONS = ['public', 'internal', 'confidential', 'restricted'] as const
export type Classification = (typeof CLASSIFICATIONS)[number]

/** How dangerous an exchange looks, mildest first (GW-ENUM-5). */
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

export const classificationRank = (value: Classification): number => CLASSIFICATIONS.indexOf(value)
export const riskRank = (value: RiskLevel): number => RISK_LEVELS.indexOf(value)

export const stricterClassification = (a: Classification, b: Classification): Classification =>
  classificationRank(a) >= classificationRank(b) ? a : b
export const higherRisk = (a: RiskLevel, b: RiskLevel): RiskLevel => (riskRank(a) >= riskRank(b) ? a : b)
