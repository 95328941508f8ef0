import i18next from 'i18next'

/** An error response of the server (envelope: docs/errors.md). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Path of the invalid field. */
  readonly param: string | null
  readonly requestId: string | null
  readonly auditId: string | null
  readonly reviewItemId: string | null
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, error: ErrorFields, requestId: string | null) {
    super(error.message ?? i18next.t('ui:error.status', { status }))
    this.status = status
    this.code = error.code ?? 'UNKNOWN'
    this.param = error.param ?? null
    this.requestId = requestId
    this.auditId = error.audit_id ?? null
    this.reviewItemId = error.review_item_id ?? null
    this.details = error.details ?? {}
  }
}

interface ErrorFields {
  readonly code?: string
  readonly message?: string
  readonly param?: string | null
  readonly audit_id?: string | null
  readonly review_item_id?: string | null
  readonly details?: Readonly<Record<string, unknown>>
}

/** Reads the error of a response. Never throws, even if the body is not JSON. */
export async function readError(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => ({}))
  const error = parseError(body)
  const audit_id = error.audit_id ?? response.headers.get('x-audit-id')
  return new ApiError(response.status, { ...error, audit_id }, response.headers.get('x-request-id'))
}

/** The error fields of a body. Sign-in routes send them without the envelope. */
export const parseError = (body: { readonly error?: ErrorFields } & ErrorFields): ErrorFields => body.error ?? body

export const hasStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.status === status
