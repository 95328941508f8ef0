import type { IncomingHttpHeaders } from 'node:http'
import type { AdminAuthenticator } from '../applications/admin-authenticator.ts'
import { misplacedCredential } from '../applications/credential.ts'
import type { Operator } from '../domain/operator.ts'
import { GatehouseError } from '../errors.ts'
import type { AdminDeps } from './admin-deps.ts'

type Authenticators = Pick<AdminDeps, 'adminAuthenticator' | 'signIn'>

/** Who asks: by a token if there is one, else by the session's cookie. Throws a 401. */
export async function operatorOf(
  { authorization, cookie }: IncomingHttpHeaders,
  { adminAuthenticator, signIn }: Authenticators,
): Promise<Operator> {
  const person = authorization === undefined ? await signIn.authenticate(cookie) : undefined
  return person ?? (await byToken(authorization, adminAuthenticator))
}

async function byToken(authorization: string | undefined, authenticator: AdminAuthenticator): Promise<Operator> {
  const answer = await authenticator.authenticate(authorization)
  if (answer.ok) return answer.operator
  const misplaced = answer.code === 'AUTH_INVALID_KEY' ? misplacedCredential(authorization, 'ga_') : undefined
  throw new GatehouseError(answer.code, { message: misplaced ?? answer.message })
}
