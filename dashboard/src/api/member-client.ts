import createClient, { type Client, type Middleware } from 'openapi-fetch'
import { hasStatus, readError } from './api-error.ts'
import type { paths } from './schema.d.ts'
import { toNetworkError } from './unreachable-error.ts'

/** The user's token was revoked. Not an ApiError, because the operator's session is still valid. */
export class TokenEndedError extends Error {}

const throwErrors: Middleware = {
  onError: ({ error }) => toNetworkError(error),
  async onResponse({ response }) {
    if (response.ok) return
    const error = await readError(response)
    throw hasStatus(error, 401) ? new TokenEndedError(error.message) : error
  },
}

export type MemberClient = Client<paths>

/** Client of the messaging API that sends a user's token instead of the operator's cookie. Error responses are thrown as ApiError. */
export function memberClient(token: string): MemberClient {
  const client = createClient<paths>({ baseUrl: '/', credentials: 'omit', headers: bearer(token) })
  client.use(throwErrors)
  return client
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
