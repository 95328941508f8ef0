import type { UserTokenVerifier } from '../../domains/identity/user-token.ts'
import { rateLimited, refuse, type StageReturn, Stop } from '../../shared/outcome.ts'
import { TrustedCaller } from '../callers.ts'
import { assertedUser, type IncomingRequest } from '../request.ts'
import type { Admitted, Caller, Identity } from '../stage-results.ts'

/** Stage 3 of 12. A valid user token supersedes the Identity Assertion; an invalid one is refused (GW-AUTH-8). */
export async function identify(
  incoming: Pick<IncomingRequest, 'userToken' | 'internalCaller'>,
  caller: Caller,
  admitted: Admitted,
  deps: { userTokens: UserTokenVerifier },
): Promise<StageReturn<Identity>> {
  const identity = await resolveUser(incoming, caller, admitted, deps)
  if (identity instanceof Stop) return identity
  const refusal = await admitted.lease.chargeUser(identity.user.id)
  return refusal ? rateLimited(refusal, identity) : identity
}

async function resolveUser(
  { userToken, internalCaller }: Pick<IncomingRequest, 'userToken' | 'internalCaller'>,
  { application }: Caller,
  { request }: Admitted,
  { userTokens }: { userTokens: UserTokenVerifier },
): Promise<Identity | Stop<Identity>> {
  const { sessionId } = request
  if (internalCaller instanceof TrustedCaller) return { user: internalCaller.user, readers: internalCaller.readers, sessionId }
  if (internalCaller?.user) return { user: internalCaller.user, sessionId }
  if (userToken === undefined) return { user: assertedUser(request.user), sessionId }
  const verified = await userTokens.verify(application.workspaceId, userToken)
  return verified.ok ? { user: verified.user, sessionId } : refuse('AUTH_INVALID_USER_TOKEN')
}
