import type { IncomingHttpHeaders } from 'node:http'

/** Whether a client of the Messages API of Anthropic sends the request. */
export const isAnthropicClient = ({ 'anthropic-version': version, 'x-api-key': key }: IncomingHttpHeaders): boolean =>
  version !== undefined || (typeof key === 'string' && key.startsWith('gk_'))

/** The Authorization header, or the key of a client that sends it without a scheme (GW-ANT-2). */
export const authorizationOf = ({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined =>
  authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined)
