import { rateLimited, refuse, type StageReturn, Stop } from '../../domain/outcome.ts'
import { ANONYMOUS_USER, type User } from '../../domain/principal.ts'
import type { UserTokenVerifier } from '../../identity/user-token.ts'
import { TrustedCaller } from '../callers.ts'
import type { IncomingRequest, UserAssertion } from '../request.ts'
import type { Admitted, Caller, Identity } from '../stage-results.ts'

/**
 * Stage 3 of 12: resolves the user and charges the user's limit. A valid user token supersedes the Identity Assertion; an invalid one
 * is refused and never replaced by the assertion (GW-AUTH-8). Code of this server has verified its user itself.
 */
export async function identify(
  incoming: Pick<IncomingRequest, 'userToken' | 'caller'>,
  caller: Caller,
  admitted: Admitted,
  deps: { userTokens: UserTokenVerifier },
): Promise<StageReturn<Identity>> {
  const identity = await resolveUser(incoming, caller, admitted, deps)
  if (identity instanceof Stop) return identity
  const refusal = admitted.lease.chargeUser(identity.user.id)
  return refusal ? rateLimited(refusal, identity) : identity
}

async function resolveUser(
  { userToken, caller }: Pick<IncomingRequest, 'userToken' | 'caller'>,
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
    ? ANONYMOUS_USER
    : {
        id: assertion.id,
        role: assertion.role ?? '',
        department: assertion.department ?? '',
        attributes: assertion.attributes ?? {},
        verified: false,
      }
