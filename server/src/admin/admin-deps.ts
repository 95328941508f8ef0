import { EvaluationLimiter } from '../policy/evaluation-limiter.ts'
import type { AdminContext } from './admin-context.ts'
import { connectDomains } from './connect-domains.ts'

/** Dependencies of all admin routes. Each route declares the part that it uses. */
export type AdminDeps = ReturnType<typeof adminDeps>

export const adminDeps = (context: AdminContext) => ({
  ...context,
  ...connectDomains(context),
  evaluationLimiter: new EvaluationLimiter(),
})
