import type { IncomingHttpHeaders } from 'node:http'
import type { AdminAuthenticator } from '../../../domains/operators/admin-authenticator.ts'
import type { SignIn } from '../../../domains/operators/sign-in.ts'
import { GatehouseError } from '../../../errors.ts'
import { describeMisplacedCredential } from '../../../platform/lib/credential.ts'
import type { Operator } from '../../../shared/operator.ts'

declare module 'fastify' {
  interface FastifyRequest {
    operator: Operator
  }
}

export interface OperatorAuthenticators {
  readonly adminAuthenticator: AdminAuthenticator
  readonly signIn: Pick<SignIn, 'authenticate'>
}

/** Authenticates the operator: by a token if the request has one, else by the session cookie. Throws a 401. */
export async function operatorOf(
  { authorization, cookie }: IncomingHttpHeaders,
  { adminAuthenticator, signIn }: OperatorAuthenticators,
): Promise<Operator> {
  const person = authorization === undefined ? await signIn.authenticate(cookie) : undefined
  return person ?? (await byToken(authorization, adminAuthenticator))
}

async function byToken(authorization: string | undefined, authenticator: AdminAuthenticator): Promise<Operator> {
  const answer = await authenticator.authenticate(authorization)
  if (answer.ok) return answer.operator
  const misplaced = answer.code === 'AUTH_INVALID_KEY' ? describeMisplacedCredential(authorization, 'ga_') : undefined
  throw new GatehouseError(answer.code, { message: misplaced ?? answer.message })
}
