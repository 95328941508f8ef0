import { decodeRequest } from '../../src/dialects/openai-responses/request.ts'
import type { Fields } from '../../src/platform/lib/untrusted-json.ts'

/** The request of the Responses API as the dialect reads it; throws if it is refused. */
export function decodedResponsesRequest(body: unknown) {
  const decoded = decodeRequest(body)
  if (!decoded.ok) throw new Error(`${decoded.problem.param}: ${decoded.problem.message}`)
  return decoded
}
export const chatOf = (body: unknown): Fields => decodedResponsesRequest(body).chat
export const problemOf = (body: unknown) => {
  const decoded = decodeRequest(body)
  return decoded.ok ? undefined : decoded.problem
}
