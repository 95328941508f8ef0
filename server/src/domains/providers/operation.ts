import type { Unsupported, UpstreamRequest } from '../../dialects/upstream-dialect.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import type { ReportedUsage } from '../../shared/usage.ts'
import type { Endpoint } from './connection-pools.ts'
import type { Tier } from './price-tier.ts'
import type { ProviderModel } from './provider.ts'
import type { AttemptLimits, UpstreamFailure } from './send-to-provider.ts'

/** A chat request after the transforms of policies. `model`: the name that the client used. The completion has the same name. */
export type ProviderRequest = Omit<UpstreamRequest, 'stream'>

export interface OperationDeps {
  readonly clock: Clock
  readonly newId: (prefix: string) => string
  /** Maximum size of a response in bytes, for a stream without its framing. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}

export type AttemptResult<Answer> = { readonly ok: true; readonly status: number; readonly response: Answer } | UpstreamFailure

export interface PreparedRequest<Answer> {
  readonly ok: true
  /** Makes one attempt. A failure is a value, without any text of the provider. */
  attempt(endpoint: Endpoint, limits: AttemptLimits, deps: OperationDeps): Promise<AttemptResult<Answer>>
}

export interface Operation<Answer extends { readonly usage?: ReportedUsage }> {
  readonly name: 'chat' | 'embeddings'
  readonly tier: Tier
  /** `unsupported`: the field that the provider's API cannot express. */
  prepare(
    endpoint: Endpoint,
    model: ProviderModel,
  ): PreparedRequest<Answer> | { readonly ok: false; readonly unsupported: Unsupported }
  stub(deps: Pick<OperationDeps, 'newId'> & { readonly created: number }): Answer
}
