import { estimateRequestTokens } from '../../domain/message.ts'
import { newId } from '../../lib/id.ts'
import { parseJson } from '../../lib/json.ts'
import { type Limiter, UNLIMITED } from '../../limits/limiter.ts'
import type { Admitted, Caller } from '../facts.ts'
import { rateLimited, refuse, type Step } from '../outcome.ts'
import type { Exchange, Parsed } from '../request.ts'
import { ENDPOINT_PLANS } from '../stages.ts'

/**
 * Stage 2 of 12: the body is validated and the Application's limits let it in. Once it has passed, there is an execution:
 * everything from here on is recorded.
 */
export function admit(
  exchange: Exchange,
  { application }: Caller,
  { limiter, jsonDepth }: { limiter: Limiter; jsonDepth: number },
): Step<Admitted> {
  const parsed = parse(exchange, application, jsonDepth)
  if (!parsed.ok) return refuse(parsed.code ?? 'VALIDATION_ERROR', parsed.problem)
  const { request } = parsed
  const tokens = estimateRequestTokens(request)
  const admitted = { request, auditId: newId('aud'), tokens, bytes: exchange.body.length }
  if (!ENDPOINT_PLANS[exchange.endpoint].limited) return { ...admitted, lease: UNLIMITED }
  if (exchange.continues) return { ...admitted, lease: exchange.continues }
  const answer = limiter.admit(application, tokens)
  return answer.ok ? { ...admitted, lease: answer.lease } : rateLimited(answer)
}

function parse({ body, parse }: Exchange, application: Caller['application'], jsonDepth: number): Parsed {
  if (body.length === 0) return parse(undefined, application)
  const json = parseJson(body, jsonDepth)
  return json.ok ? parse(json.value, application) : { ok: false, problem: { message: json.problem } }
}
