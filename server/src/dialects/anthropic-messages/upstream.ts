import type { EncodedRequest, UpstreamDialect } from '../upstream-dialect.ts'
import { betasOf } from './betas.ts'
import { EventCollector } from './upstream-events.ts'
import { encodeRequest } from './upstream-request.ts'
import { readMessage } from './upstream-response.ts'

/** The Messages API of Anthropic as an API of providers. */
export const anthropicUpstream: UpstreamDialect = {
  encode: (request) => withBetas(encodeRequest(request), betasOf(request)),
  collect: () => new EventCollector(),
  read: readMessage,
}

const withBetas = (encoded: EncodedRequest, betas: readonly string[]): EncodedRequest =>
  encoded.ok && betas.length > 0 ? { ...encoded, headers: { 'anthropic-beta': betas.join(',') } } : encoded
