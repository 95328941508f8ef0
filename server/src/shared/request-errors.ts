import { type ErrorFields, GatehouseError } from '../errors.ts'
import type { Checked, Problem } from '../platform/lib/schema.ts'
import { Refusal, refuseForbidden, refuseInvalid, refuseUnknown } from './refusal.ts'

const errorOf = ({ code, fields }: Refusal): GatehouseError => new GatehouseError(code, fields)

export function accepted<T>(result: T | Refusal): T {
  if (result instanceof Refusal) throw errorOf(result)
  return result
}

export const invalid = (problem: Problem): GatehouseError => errorOf(refuseInvalid(problem))

export function valid<T>(checked: Checked<T>): T {
  if (!checked.ok) throw invalid(checked.problem)
  return checked.value
}

export const notFound = (resource?: string): GatehouseError => errorOf(refuseUnknown(resource))

export function requireFound<T>(value: T | undefined, resource: string): T {
  if (value === undefined) throw notFound(resource)
  return value
}

export const forbidden = (message: string, fields?: Omit<ErrorFields, 'message'>): GatehouseError =>
  errorOf(refuseForbidden(message, fields))

/** 409 that says what to do. */
export const conflict = (message: string, fields?: Omit<ErrorFields, 'message'>): GatehouseError =>
  new GatehouseError('CONFLICT', { message, ...fields })

/** 409: another object has this value of a unique field. `label`: the field, as in "Workspace name is already taken." */
export const taken = (param: string, label: string): GatehouseError =>
  conflict(`${label} is already taken. Choose another.`, { param })
