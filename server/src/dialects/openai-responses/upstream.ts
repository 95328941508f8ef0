import type { UpstreamDialect } from '../upstream-dialect.ts'
import { chatParamOf, readFailure } from './upstream-failure.ts'
import { encodeRequest } from './upstream-request.ts'
import { readResponse } from './upstream-response.ts'
import { ResponseCollector } from './upstream-stream.ts'

/** The Responses API of OpenAI as an API of providers. */
export const responsesUpstream: UpstreamDialect = {
  encode: encodeRequest,
  collect: () => new ResponseCollector(),
  read: readResponse,
  readFailure,
  chatParamOf,
}
