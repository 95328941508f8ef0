import { type ErrorFields, GatehouseError } from '../../errors.ts'
import type { Problem } from '../../lib/schema.ts'

/** 400 that names the field and says what to do. */
export const invalid = ({ param, message }: Problem): GatehouseError =>
  new GatehouseError('VALIDATION_ERROR', {
    message: param ? `${param}: ${message}.` : `The request ${message}.`,
    ...(param && { param }),
  })

/** 404, the same for what is not there, what is another Workspace's and what the caller is no member of. */
export const notFound = (what: string): GatehouseError =>
  new GatehouseError('NOT_FOUND', { message: `There is no such ${what}.` })

/** 403: a member sees it, and may not do that with it. */
export const forbidden = (message: string, fields: Omit<ErrorFields, 'message'> = {}): GatehouseError =>
  new GatehouseError('FORBIDDEN', { message, ...fields })
