import type { Authentication, Authenticator } from '../../domains/identity/authenticator.ts'
import { describeMisplacedCredential } from '../../platform/lib/credential.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { refuse, type StageReturn } from '../../shared/outcome.ts'
import { PlaygroundCaller } from '../callers.ts'
import type { IncomingRequest } from '../request.ts'
import type { Caller } from '../stage-results.ts'

/** Stage 1 of 12: resolves the API key to its Application (GW-AUTH-1); code of this server names the Application itself. */
export function authenticate(
  { authorization, internalCaller }: Pick<IncomingRequest, 'authorization' | 'internalCaller'>,
  { authenticator }: { authenticator: Authenticator },
): MaybePromise<StageReturn<Caller>> {
  if (internalCaller) {
    const { application } = internalCaller
    if (application.archivedAt)
      return refuse('FORBIDDEN', {
        message: 'This Application is archived. Restore it, or use another one.',
        details: { reason: 'application_archived' },
      })
    if (!(internalCaller instanceof PlaygroundCaller)) return { application, keyId: internalCaller.keyId }
    return { application, keyId: '', operatorId: internalCaller.operatorId, memoryDisabled: !internalCaller.mayStoreMemories }
  }
  return andThen(authenticator.authenticate(authorization), (authentication): StageReturn<Caller> => {
    if (authentication.ok) return callerOf(authentication)
    const { code, message = code === 'AUTH_INVALID_KEY' ? describeMisplacedCredential(authorization, 'gk_') : undefined } =
      authentication
    return refuse(code, message === undefined ? {} : { message })
  })
}

const callerOf = ({ application, keyId, keyIssuer }: Extract<Authentication, { ok: true }>): Caller => ({
  application,
  keyId,
  // A key issued by an admin token binds no operator, because a token is not a reviewer.
  ...(keyIssuer?.startsWith('opr_') && { keyIssuer }),
})
