import type { Authorize, AuthorizeDeps } from './adapter.ts'
import type { TokenGrant } from './token-grant.ts'

/** Sends an access token instead of the key. `grant`: undefined if the key has the wrong form. */
export const bearerAuthorizer =
  (grant: TokenGrant | undefined, { tokens, allowPrivateUrls }: AuthorizeDeps): Authorize =>
  async (request) => {
    const result = await tokens.tokenOf(grant, request, allowPrivateUrls)
    return result.ok ? { ok: true, headers: [...request.headers, 'authorization', `Bearer ${result.token}`] } : result
  }
