import { type ErrorFields, GatehouseError } from '../errors.ts'
import type { Checked, Problem } from '../platform/lib/schema.ts'

/** 400 that names the field and says what to do. */
export const invalid = ({ param, message }: Problem): GatehouseError =>
  new GatehouseError('VALIDATION_ERROR', {
    message: param ? `${param}: ${message}.` : `The request ${message}.`,
    ...(param && { param }),
  })

/** The checked value. Throws a 400 when the check found a problem. */
export function valid<T>(checked: Checked<T>): T {
  if (!checked.ok) throw invalid(checked.problem)
  return checked.value
}

/** 404, the same when the resource does not exist, belongs to another Workspace or is hidden from the caller. */
export const notFound = (resource = 'resource'): GatehouseError =>
  new GatehouseError('NOT_FOUND', { message: `${capitalized(resource)} not found.` })

/** The value. Throws a 404 when it is undefined. */
export function requireFound<T>(value: T | undefined, resource: string): T {
  if (value === undefined) throw notFound(resource)
  return value
}

/** 403: the caller may see the resource, but may not do this with it. */
export const forbidden = (message: string, fields: Omit<ErrorFields, 'message'> = {}): GatehouseError =>
  new GatehouseError('FORBIDDEN', { message, ...fields })

/** 409: another object has this value of a unique field. `label`: the field, as in "Workspace name is already taken." */
export const taken = (param: string, label: string): GatehouseError =>
  new GatehouseError('CONFLICT', { message: `${label} is already taken. Choose another.`, param })

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
