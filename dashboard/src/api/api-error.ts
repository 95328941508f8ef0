/** What the server refused, in its own words (the envelope of docs/errors.md). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** Path of the offending field, where there is one. */
  readonly param: string | null
  readonly requestId: string | null
  /** Record of the exchange that failed or was refused, where there is one. */
  readonly auditId: string | null
  /** What reviewers decide on, where it waits for them. */
  readonly reviewItemId: string | null
  readonly details: Readonly<Record<string, unknown>>

  constructor(status: number, error: ErrorFields, requestId: string | null) {
    super(error.message ?? `The server answered ${status}.`)
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

/** The refusal in a response; whatever sent it, this never throws. */
export async function readError(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => ({}))
  const error = parseError(body)
  const audit_id = error.audit_id ?? response.headers.get('x-audit-id')
  return new ApiError(response.status, { ...error, audit_id }, response.headers.get('x-request-id'))
}

/** What an answer says of its refusal: in the envelope, or without one where it comes from the sign-in. */
export const parseError = (body: { readonly error?: ErrorFields } & ErrorFields): ErrorFields => body.error ?? body

export const hasStatus = (error: unknown, status: number): boolean => error instanceof ApiError && error.status === status
