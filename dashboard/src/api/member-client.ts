import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { hasStatus, readError } from './api-error.ts'
import type { paths } from './schema.d.ts'
import { asUnreachable } from './unreachable.ts'

/** The user's token no longer counts. Not an ApiError: the operator's own session goes on. */
export class TokenEnded extends Error {}

const failuresAreThrown: Middleware = {
  onError: ({ error }) => asUnreachable(error),
  async onResponse({ response }) {
    if (response.ok) return
    const error = await readError(response)
    throw hasStatus(error, 401) ? new TokenEnded(error.message) : error
  },
}

export type MemberClient = Client<paths>

/** The messaging API as one user, whose token is sent in place of the operator's cookie. Refusals are thrown, as ApiError. */
export function memberClient(token: string): MemberClient {
  const client = createClient<paths>({ baseUrl: '/', credentials: 'omit', headers: bearer(token) })
  client.use(failuresAreThrown)
  return client
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
