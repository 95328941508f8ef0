import type { GroupDirectory } from '../../domains/identity/group-directory.ts'
import type { UserTokenVerifier } from '../../domains/identity/user-token.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { rateLimited, refuse, type StageReturn, Stop } from '../../shared/outcome.ts'
import type { Restriction, User } from '../../shared/principal.ts'
import { TrustedCaller } from '../callers.ts'
import { assertedUser, type IncomingRequest } from '../request.ts'
import type { Admitted, Caller, Identity } from '../stage-results.ts'

export interface IdentifyDeps {
  readonly userTokens: UserTokenVerifier
  readonly groups: Pick<GroupDirectory, 'withGroups'>
}

/** Stage 3 of 12. A valid user token supersedes the Identity Assertion; an invalid one is refused (GW-AUTH-8). */
export function identify(
  incoming: Pick<IncomingRequest, 'userToken' | 'internalCaller'>,
  caller: Caller,
  admitted: Admitted,
  deps: IdentifyDeps,
): MaybePromise<StageReturn<Identity>> {
  return andThen(resolveUser(incoming, caller, admitted, deps), (stated): MaybePromise<StageReturn<Identity>> => {
    if (stated instanceof Stop) return stated
    return andThen(withGroups(stated, caller, deps), (identity) => admitUser(identity, caller, admitted))
  })
}

/** The identity with the groups of the directory. */
function withGroups(identity: Identity, { application }: Caller, { groups }: IdentifyDeps): MaybePromise<Identity> {
  const { user, readers } = identity
  const resolve = (one: User) => groups.withGroups(application.workspaceId, one)
  if (readers)
    return Promise.all([resolve(user), Promise.all(readers.map(resolve))]).then(([user, readers]) => ({
      ...identity,
      user,
      readers,
    }))
  return andThen(resolve(user), (user) => ({ ...identity, user }))
}

function admitUser(identity: Identity, caller: Caller, admitted: Admitted): MaybePromise<StageReturn<Identity>> {
  const closed = caller.application.restrictions?.find(({ members }) => members && !members.includes(identity.user.id))
  if (closed) return refuseStranger(closed, identity)
  const charged = admitted.lease.chargeUser(identity.user.id)
  return andThen(charged, (refusal) => (refusal ? rateLimited(refusal, identity) : identity))
}

const refuseStranger = ({ owner }: Restriction, identity: Identity): Stop<Identity> =>
  refuse(
    'FORBIDDEN',
    {
      message: `Only members of ${owner} may use this API key. Send a member as the user, or ask an operator to add the user to the team.`,
    },
    identity,
  )

function resolveUser(
  { userToken, internalCaller }: Pick<IncomingRequest, 'userToken' | 'internalCaller'>,
  { application }: Caller,
  { request }: Admitted,
  { userTokens }: Pick<IdentifyDeps, 'userTokens'>,
): MaybePromise<Identity | Stop<Identity>> {
  const { sessionId } = request
  if (internalCaller instanceof TrustedCaller) return { user: internalCaller.user, readers: internalCaller.readers, sessionId }
  if (internalCaller?.user) return { user: internalCaller.user, sessionId }
  if (userToken === undefined) return { user: assertedUser(request.user), sessionId }
  return userTokens
    .verify(application.workspaceId, userToken)
    .then((verified) => (verified.ok ? { user: verified.user, sessionId } : refuse<Identity>('AUTH_INVALID_USER_TOKEN')))
}
