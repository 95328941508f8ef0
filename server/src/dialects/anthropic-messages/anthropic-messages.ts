import { ERRORS, errorBody } from '../../errors.ts'
import type { ClientDialect, ResponseEncoder } from '../client-dialect.ts'
import { decoded, fieldOf } from '../client-fields.ts'
import { growingMessage, messageEvents } from './events.ts'
import { MESSAGES_FIELDS } from './known-fields.ts'
import { decodeBody } from './request.ts'
import { encodeMessage } from './response.ts'

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

const ENCODER: ResponseEncoder = {
  toJson: (completion, _json, governance) => JSON.stringify(encodeMessage(completion, governance)),
  toEvents: messageEvents,
  grow: growingMessage,
}

/** The Messages API of Anthropic: https://docs.claude.com/en/api/messages. */
export const anthropicMessages: ClientDialect = {
  name: 'anthropic-messages',
  known: MESSAGES_FIELDS,
  decode: (body) =>
    decoded(() => {
      const { chat, sources, origins } = decodeBody(body)
      return { ok: true, chat, fieldOf: (param) => fieldOf(sources, param), origins, encoder: ENCODER }
    }),
  hasTextParts: true,
  /** The envelope of this API around the fields of ours: its clients choose the class of an exception by status. */
  errorBody: (code, fields, base, requestId) => ({
    type: 'error',
    error: { ...errorBody(code, fields, base).error, type: ERROR_TYPES[ERRORS[code].status] ?? 'invalid_request_error' },
    request_id: requestId,
  }),
}
