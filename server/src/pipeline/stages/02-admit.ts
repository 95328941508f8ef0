import { UNLIMITED } from '../../domains/limits/lease.ts'
import type { Limiter } from '../../domains/limits/limiter.ts'
import { newId } from '../../platform/lib/id.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { rateLimited, refuse, type StageReturn } from '../../shared/outcome.ts'
import { ENDPOINT_PLANS } from '../endpoints.ts'
import { type IncomingRequest, parseBody, withCollectedTexts } from '../request.ts'
import type { Admitted, Caller } from '../stage-results.ts'

/** Stage 2 of 12: validates the body and charges the Application's limits. Every outcome from here on is recorded. */
export function admit(
  incoming: IncomingRequest,
  { application }: Caller,
  { limiter, jsonDepth }: { limiter: Limiter; jsonDepth: number },
): MaybePromise<StageReturn<Admitted>> {
  const parsed = parseBody(incoming, application, jsonDepth)
  if (!parsed.ok) return refuse(parsed.code ?? 'VALIDATION_ERROR', parsed.problem)
  const admitted = {
    ...withCollectedTexts(parsed.request),
    auditId: incoming.auditId ?? newId('aud'),
    bytes: incoming.body.length,
  }
  if (!ENDPOINT_PLANS[incoming.endpoint].limited) return { ...admitted, lease: UNLIMITED }
  if (incoming.lease) return { ...admitted, lease: incoming.lease }
  return andThen(
    limiter.admit(application, admitted.tokens),
    (admission): StageReturn<Admitted> => (admission.ok ? { ...admitted, lease: admission.lease } : rateLimited(admission)),
  )
}
