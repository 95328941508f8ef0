import type { Authentication, Authenticator } from '../../applications/authenticator.ts'
import { misplacedCredential } from '../../applications/credential.ts'
import type { Caller } from '../facts.ts'
import { refuse, type Step } from '../outcome.ts'
import { PlaygroundCaller } from '../playground-caller.ts'
import type { Exchange } from '../request.ts'

/** Stage 1 of 12: the API key names the Application (gateway-api.md, Authentication), or code of this server does. */
export async function authenticate(
  { authorization, caller }: Pick<Exchange, 'authorization' | 'caller'>,
  { authenticator }: { authenticator: Authenticator },
): Promise<Step<Caller>> {
  if (caller) {
    const { application } = caller
    if (!(caller instanceof PlaygroundCaller)) return { application, keyId: '' }
    return { application, keyId: '', playedBy: caller.operatorId, keepsNothing: !caller.remembers }
  }
  const answer = await authenticator.authenticate(authorization)
  if (answer.ok) return callerOf(answer)
  const message = answer.code === 'AUTH_INVALID_KEY' ? misplacedCredential(authorization, 'gk_') : undefined
  return refuse(answer.code, message === undefined ? {} : { message })
}

const callerOf = ({ application, keyId, keyIssuer }: Extract<Authentication, { ok: true }>): Caller => ({
  application,
  keyId,
  // A token without an operator stands for no person who could approve: what it issued binds nobody.
  ...(keyIssuer?.startsWith('opr_') && { keyIssuer }),
})
