import { GatehouseError } from '../errors.ts'
import type { Checked, Problem } from '../lib/schema.ts'

/** 400 that names the field and says what to do. */
export const invalid = ({ param, message }: Problem): GatehouseError =>
  new GatehouseError('VALIDATION_ERROR', {
    message: param ? `${param}: ${message}.` : `The body ${message}.`,
    ...(param && { param }),
  })

/** The checked value; throws a 400 when it is not sound. */
export function valid<T>(checked: Checked<T>): T {
  if (!checked.ok) throw invalid(checked.problem)
  return checked.value
}

/** 404, the same for what is not there and what is another Workspace's. `what` as in “There is no such …”. */
export const notFound = (what: string): GatehouseError =>
  new GatehouseError('NOT_FOUND', { message: `There is no such ${what}.` })

/** 409: somebody else has that name. */
export const taken = (param: string, what: string): GatehouseError =>
  new GatehouseError('CONFLICT', { message: `There is ${what} already.`, param })
