import type { UserTokenVerifier } from '../../applications/user-token.ts'
import { NOBODY, type User } from '../../domain/principal.ts'
import type { Admitted, Caller, Identity } from '../facts.ts'
import { rateLimited, refuse, type Step, Stop } from '../outcome.ts'
import type { Exchange, UserAssertion } from '../request.ts'
import { TrustedCaller } from '../trusted-caller.ts'

/**
 * Stage 3 of 12: who the end user is, and whether their own limit lets the request in. A user token that verifies supersedes
 * the Identity Assertion; one that does not is a refusal, never silently the assertion (decisions.md §2.6). Code of this
 * server has verified its user itself.
 */
export async function identify(
  exchange: Pick<Exchange, 'userToken' | 'caller'>,
  caller: Caller,
  admitted: Admitted,
  deps: { userTokens: UserTokenVerifier },
): Promise<Step<Identity>> {
  const identity = await whoAsks(exchange, caller, admitted, deps)
  if (identity instanceof Stop) return identity
  const refusal = admitted.lease.chargeUser(identity.user.id)
  return refusal ? rateLimited(refusal, identity) : identity
}

async function whoAsks(
  { userToken, caller }: Pick<Exchange, 'userToken' | 'caller'>,
  { application }: Caller,
  { request }: Admitted,
  { userTokens }: { userTokens: UserTokenVerifier },
): Promise<Identity | Stop<Identity>> {
  const { sessionId } = request
  if (caller instanceof TrustedCaller) return { user: caller.user, readers: caller.readers, sessionId }
  if (caller?.user) return { user: caller.user, sessionId }
  if (userToken === undefined) return { user: asserted(request.user), sessionId }
  const verified = await userTokens.verify(application.workspaceId, userToken)
  return verified.ok ? { user: verified.user, sessionId } : refuse('AUTH_INVALID_USER_TOKEN')
}

const asserted = (assertion: UserAssertion | undefined): User =>
  assertion === undefined
    ? NOBODY
    : {
        id: assertion.id,
        role: assertion.role ?? '',
        department: assertion.department ?? '',
        attributes: assertion.attributes ?? {},
        verified: false,
      }
