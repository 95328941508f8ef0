import type { ErrorCode, ErrorFields } from '../errors.ts'
import type { Problem } from '../platform/lib/schema.ts'

/** A refused request as a value. Domains return it, and routes turn it into a response (`accepted` of request-errors.ts). */
export class Refusal {
  readonly code: ErrorCode
  readonly fields: ErrorFields

  constructor(code: ErrorCode, fields: ErrorFields = {}) {
    this.code = code
    this.fields = fields
  }
}

export const refuseInvalid = ({ param, message }: Problem): Refusal =>
  new Refusal('VALIDATION_ERROR', {
    message: param ? `${param}: ${message}.` : `The request ${message}.`,
    ...(param && { param }),
  })

export const refuseUnknown = (resource = 'resource'): Refusal =>
  new Refusal('NOT_FOUND', { message: `${resource.charAt(0).toUpperCase()}${resource.slice(1)} not found.` })

export const refuseForbidden = (message: string, fields: Omit<ErrorFields, 'message'> = {}): Refusal =>
  new Refusal('FORBIDDEN', { message, ...fields })
