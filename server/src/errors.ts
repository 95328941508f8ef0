/** OpenAI's error types. Its clients choose their exception class by status and show this type. */
type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'rate_limit_error'
  | 'api_error'

interface ErrorRow {
  readonly status: number
  readonly type: ErrorType
  readonly message: string
}

/** The one table of errors (API-ERR-4 to API-ERR-14). */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, type: 'invalid_request_error', message: 'The request is not valid.' },
  AUTH_INVALID_KEY: { status: 401, type: 'authentication_error', message: 'The API key is missing or not valid.' },
  AUTH_KEY_REVOKED: { status: 401, type: 'authentication_error', message: 'The API key has been revoked.' },
  AUTH_INVALID_USER_TOKEN: { status: 401, type: 'authentication_error', message: 'The user token is not valid.' },
  POLICY_DENIED: { status: 403, type: 'permission_error', message: 'A policy of your organisation denies this request.' },
  POLICY_REVIEW_DENIED: { status: 403, type: 'permission_error', message: 'A reviewer has denied this request.' },
  FORBIDDEN: { status: 403, type: 'permission_error', message: 'You do not have permission to do this.' },
  NOT_FOUND: { status: 404, type: 'not_found_error', message: 'Resource not found.' },
  METHOD_NOT_ALLOWED: { status: 405, type: 'invalid_request_error', message: 'Method not allowed.' },
  CONFLICT: { status: 409, type: 'conflict_error', message: 'The request conflicts with the current state of the resource.' },
  POLICY_REVIEW_PENDING: { status: 409, type: 'conflict_error', message: 'A reviewer must approve this request first.' },
  REVIEW_HOLD_EXPIRED: { status: 410, type: 'invalid_request_error', message: 'The hold has expired. Send a new request.' },
  PAYLOAD_TOO_LARGE: { status: 413, type: 'invalid_request_error', message: 'The request is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, type: 'invalid_request_error', message: 'This content type is not supported.' },
  NO_ELIGIBLE_PROVIDER: { status: 422, type: 'invalid_request_error', message: 'No provider is allowed to serve this request.' },
  RATE_LIMITED: { status: 429, type: 'rate_limit_error', message: "The gateway's rate limit is reached." },
  BUDGET_EXCEEDED: {
    status: 429,
    type: 'rate_limit_error',
    message: 'A budget of your organisation does not cover this request.',
  },
  /** Never sent: for the audit record, the log and the metrics. */
  CLIENT_CLOSED_REQUEST: { status: 499, type: 'invalid_request_error', message: 'The client disconnected before the response.' },
  INTERNAL: { status: 500, type: 'api_error', message: 'An internal error occurred.' },
  PROVIDER_ERROR: { status: 502, type: 'api_error', message: 'The model provider failed.' },
  UNAVAILABLE: { status: 503, type: 'api_error', message: 'The gateway is temporarily unavailable. Try again.' },
  PROVIDER_TIMEOUT: { status: 504, type: 'api_error', message: 'The model provider did not respond in time.' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof ERRORS

export interface ErrorFields {
  readonly message?: string
  /** Path of the invalid field: `governance.user.id`. */
  readonly param?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly reviewItemId?: string
  /** When a hold expires. */
  readonly expiresAt?: Date
  readonly auditId?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An error with a public part (`code` and `fields`) and a private one (`cause`, for the log only). */
export class GatehouseError extends Error {
  readonly code: ErrorCode
  readonly fields: ErrorFields

  constructor(code: ErrorCode, fields: ErrorFields = {}, cause?: unknown) {
    super(fields.message ?? ERRORS[code].message, cause === undefined ? undefined : { cause })
    this.name = 'GatehouseError'
    this.code = code
    this.fields = fields
  }
}

/** `base`: the public URL of the server, if it is known. */
const docUrl = (code: ErrorCode, base = ''): string => `${base}/docs/troubleshooting#${code.toLowerCase()}`

/** The envelope of all APIs (API-ERR-1 to API-ERR-3). */
export function errorBody(code: ErrorCode, fields: ErrorFields = {}, base?: string) {
  return {
    error: {
      code,
      message: fields.message ?? ERRORS[code].message,
      type: ERRORS[code].type,
      param: fields.param ?? null,
      ...(fields.auditId === undefined ? {} : { audit_id: fields.auditId }),
      ...(fields.reviewItemId === undefined ? {} : { review_item_id: fields.reviewItemId }),
      ...(fields.expiresAt === undefined ? {} : { expires_at: fields.expiresAt.toISOString() }),
      ...(fields.details === undefined ? {} : { details: fields.details }),
      doc_url: docUrl(code, base),
    },
  }
}
