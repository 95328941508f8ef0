import { ERRORS, type ErrorCode, type ErrorFields, errorBody } from '../../errors.ts'
import type { ClientDialect, DecodedRequest, ErrorEnvelope } from '../client-dialect.ts'
import { fieldOf } from '../sources.ts'
import { growingMessage, messageEvents } from './events.ts'
import { UnknownField, Untranslatable } from './fields.ts'
import { MESSAGES_FIELDS } from './known-fields.ts'
import { type DecodedBody, decodeBody } from './request.ts'
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

function decode(body: unknown): DecodedRequest {
  let decoded: DecodedBody
  try {
    decoded = decodeBody(body)
  } catch (error) {
    if (error instanceof UnknownField) {
      const { problem, path, placeholder } = error
      return { ok: false, problem, unknownField: { path, placeholder } }
    }
    if (error instanceof Untranslatable) return { ok: false, problem: error.problem }
    throw error
  }
  return {
    ok: true,
    chat: decoded.chat,
    fieldOf: (param) => fieldOf(decoded.sources, param),
    origins: decoded.origins,
    encoder: {
      toJson: (completion, _json, governance) => JSON.stringify(encodeMessage(completion, governance)),
      toEvents: messageEvents,
      grow: growingMessage,
    },
  }
}

/** The envelope of this API around the fields of ours: its clients choose the class of an exception by status. */
function anthropicErrorBody(code: ErrorCode, fields: ErrorFields, requestId: string): ErrorEnvelope {
  const { error } = errorBody(code, fields)
  return {
    type: 'error',
    error: { ...error, type: ERROR_TYPES[ERRORS[code].status] ?? 'invalid_request_error' },
    request_id: requestId,
  }
}

/** The Messages API of Anthropic: https://docs.claude.com/en/api/messages. */
export const anthropicMessages: ClientDialect = {
  name: 'anthropic-messages',
  known: MESSAGES_FIELDS,
  decode,
  hasTextParts: true,
  errorBody: anthropicErrorBody,
}
