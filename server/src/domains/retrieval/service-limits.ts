import { type Classification, classificationRank } from '../../shared/classification.ts'
import type { SearchServiceName, ServiceCall } from '../../shared/service-call.ts'

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

/** Why the text may not be sent to the server; undefined: it may. `limits`: undefined for a server without limits. */
export function withheldBy(
  limits: ServiceLimits | undefined,
  { classification = 'public', region }: LabelledText,
): 'above_ceiling' | 'other_region' | undefined {
  if (!limits) return undefined
  if (classificationRank(classification) > classificationRank(limits.maxClassification)) return 'above_ceiling'
  return region === undefined || region === limits.region ? undefined : 'other_region'
}

/** Called for each call of an embedder or a reranker, and for each that was not made. */
export type ReportCall = (call: ServiceCall) => void

export interface SearchService {
  readonly service: SearchServiceName
  readonly host: string
  readonly model: string
  readonly limits?: ServiceLimits | undefined
}

/** `texts` and `ms`: 0 if nothing was sent. */
export const callOf = (
  { service, host, model, limits }: SearchService,
  {
    outcome,
    ms = 0,
    status = 0,
    texts = 0,
  }: Pick<ServiceCall, 'outcome'> & Partial<Pick<ServiceCall, 'ms' | 'status' | 'texts'>>,
): ServiceCall => ({
  host,
  model,
  ms: Math.round(ms * 1_000) / 1_000,
  outcome,
  ...(limits?.region !== undefined && { region: limits.region }),
  service,
  status,
  texts,
})
