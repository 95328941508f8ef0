import { refuse, type StageReturn } from '../../domain/outcome.ts'
import type { Authentication, Authenticator } from '../../identity/authenticator.ts'
import { describeMisplacedCredential } from '../../lib/credential.ts'
import { PlaygroundCaller } from '../callers.ts'
import type { IncomingRequest } from '../request.ts'
import type { Caller } from '../stage-results.ts'

/** Stage 1 of 12: resolves the API key to its Application (GW-AUTH-1); code of this server names the Application itself. */
export async function authenticate(
  { authorization, caller }: Pick<IncomingRequest, 'authorization' | 'caller'>,
  { authenticator }: { authenticator: Authenticator },
): Promise<StageReturn<Caller>> {
  if (caller) {
    const { application } = caller
    if (!(caller instanceof PlaygroundCaller)) return { application, keyId: '' }
    return { application, keyId: '', operatorId: caller.operatorId, memoryDisabled: !caller.remembers }
  }
  const answer = await authenticator.authenticate(authorization)
  if (answer.ok) return callerOf(answer)
  const message = answer.code === 'AUTH_INVALID_KEY' ? describeMisplacedCredential(authorization, 'gk_') : undefined
  return refuse(answer.code, message === undefined ? {} : { message })
}

const callerOf = ({ application, keyId, keyIssuer }: Extract<Authentication, { ok: true }>): Caller => ({
  application,
  keyId,
  // A key issued by an admin token binds no operator, because a token is not a reviewer.
  ...(keyIssuer?.startsWith('opr_') && { keyIssuer }),
})
