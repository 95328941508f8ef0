import type { IncomingMessage } from 'node:http'
import { BETA_HEADER, readBetas } from '../../dialects/anthropic-messages/betas.ts'
import type { IncomingRequest } from '../../pipeline/request.ts'
import { headerValues } from './governance-headers.ts'
import { invalid } from './request-fields.ts'

type Parse = IncomingRequest['parse']

/** `parse` for the body together with the features that the client's header asks for (GW-ANT-11). */
export const withBetas =
  (request: Pick<IncomingMessage, 'rawHeaders'>, parse: Parse): Parse =>
  (...parameters) => {
    const betas = readBetas(headerValues(request, BETA_HEADER))
    if (!betas)
      return invalid({
        param: BETA_HEADER,
        message: 'must be at most 32 names that end in a date, with at most 4 digits before it, separated by commas',
      })
    const parsed = parse(...parameters)
    const source = parsed.ok ? parsed.request.source : undefined
    return parsed.ok && source && betas.length > 0
      ? { ok: true, request: { ...parsed.request, source: { ...source, betas } } }
      : parsed
  }
