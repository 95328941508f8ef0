import { rateLimited, refuse, type StageReturn } from '../../domain/outcome.ts'
import { estimateRequestTokens } from '../../domain/tokens.ts'
import { newId } from '../../lib/id.ts'
import { parseJsonKeepingNumbers } from '../../lib/json.ts'
import { UNLIMITED } from '../../limits/lease.ts'
import type { Limiter } from '../../limits/limiter.ts'
import { ENDPOINT_PLANS } from '../endpoints.ts'
import type { IncomingRequest, Parsed } from '../request.ts'
import type { Admitted, Caller } from '../stage-results.ts'

/** Stage 2 of 12: validates the body and charges the Application's limits. Every outcome from here on is recorded. */
export function admit(
  incoming: IncomingRequest,
  { application }: Caller,
  { limiter, jsonDepth }: { limiter: Limiter; jsonDepth: number },
): StageReturn<Admitted> {
  const parsed = parse(incoming, application, jsonDepth)
  if (!parsed.ok) return refuse(parsed.code ?? 'VALIDATION_ERROR', parsed.problem)
  const { request } = parsed
  const tokens = estimateRequestTokens(request)
  const admitted = { request, auditId: newId('aud'), tokens, bytes: incoming.body.length }
  if (!ENDPOINT_PLANS[incoming.endpoint].limited) return { ...admitted, lease: UNLIMITED }
  if (incoming.lease) return { ...admitted, lease: incoming.lease }
  const admission = limiter.admit(application, tokens)
  return admission.ok ? { ...admitted, lease: admission.lease } : rateLimited(admission)
}

function parse({ body, parse }: IncomingRequest, application: Caller['application'], jsonDepth: number): Parsed {
  if (body.length === 0) return parse(undefined, application)
  const json = parseJsonKeepingNumbers(body, jsonDepth)
  return json.ok ? parse(json.value, application, json.written) : { ok: false, problem: { message: json.problem } }
}
