import type { Admission, LimitedApplication } from '../../src/domains/limits/lease.ts'
import { Limiter } from '../../src/domains/limits/limiter.ts'
import { type ApplicationLimits, DEFAULT_LIMITS } from '../../src/shared/principal.ts'

export const application = (limits: Partial<ApplicationLimits> = {}, id = 'app_1'): LimitedApplication => ({
  id,
  limits: { ...DEFAULT_LIMITS, ...limits },
})

/** A limiter that counts in memory, and therefore answers at once. */
class LocalLimiter extends Limiter {
  override admit(application: LimitedApplication, tokens: number): Admission {
    const admission = super.admit(application, tokens)
    if (admission instanceof Promise) throw new Error('a limiter in memory waited')
    return admission
  }
}

/** A limiter with an adjustable clock. */
export function limiterAt(start = 1_000) {
  let now = start
  return {
    limiter: new LocalLimiter(() => now),
    pass: (ms: number) => {
      now += ms
    },
  }
}

/** Throws if the request was refused. */
export function admitted(admission: Admission) {
  if (!admission.ok) throw new Error(`refused: ${admission.message}`)
  return admission
}

/** Throws if the request was admitted. */
export function expectRefusal(admission: Admission) {
  if (admission.ok) throw new Error('admitted')
  return admission
}

/** Admits a request and charges it to the user. */
export function admitAs(limiter: LocalLimiter, app: LimitedApplication, userId: string, tokens = 0): Admission {
  const admission = limiter.admit(app, tokens)
  if (!admission.ok) return admission
  const refusal = admission.lease.chargeUser(userId)
  if (refusal instanceof Promise) throw new Error('a limiter in memory waited')
  if (refusal) admission.lease.release(0)
  return refusal ?? admission
}
