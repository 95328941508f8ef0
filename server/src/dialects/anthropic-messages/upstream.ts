import type { UpstreamDialect } from '../upstream-dialect.ts'
import { EventCollector } from './upstream-events.ts'
import { encodeRequest } from './upstream-request.ts'
import { readMessage } from './upstream-response.ts'

/** The Messages API of Anthropic as an API of providers. */
export const anthropicUpstream: UpstreamDialect = {
  encode: (request) => encodeRequest(request),
  collect: () => new EventCollector(),
  read: readMessage,
}
