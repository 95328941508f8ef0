import { type Classification, classificationRank } from '../../shared/classification.ts'

/** The limits of a server that reads the texts of searches (an embedder or a reranker), like those of a provider. */
export interface ServiceLimits {
  /** Texts with a stricter classification are not sent to it. */
  readonly maxClassification: Classification
  /** Undefined: not stated. Requests that a policy limits to a region are not sent to it then. */
  readonly region: string | undefined
}

/** A text, and the region to which a policy limits its request (directive `route:region`). */
export interface LabelledText {
  readonly classification?: Classification | undefined
  readonly region?: string | undefined
}

/** Whether the text may be sent to the server. `limits`: undefined for a server without limits. */
export function mayReceive(limits: ServiceLimits | undefined, { classification = 'public', region }: LabelledText): boolean {
  if (!limits) return true
  if (classificationRank(classification) > classificationRank(limits.maxClassification)) return false
  return region === undefined || region === limits.region
}
