import type { InitOf, ResponseOf } from '../../api/operations.ts'
import { readMap } from './yaml-map.ts'

const PATH = '/admin/v1/policy-sets/simulate'
export type TryBody = InitOf<'post', typeof PATH>['body']
export type TryResult = ResponseOf<'post', typeof PATH>
export type Point = TryResult['point']

export interface TryValues {
  readonly point: Point
  /** The request before a tried answer. */
  readonly request: string
  readonly text: string
  readonly application: string | null
  readonly user: string
  readonly role: string
  readonly department: string
  /** YAML. */
  readonly attributes: string
  readonly verified: boolean
}

export const NO_TEXT: TryValues = {
  point: 'input',
  request: '',
  text: '',
  application: null,
  user: '',
  role: '',
  department: '',
  attributes: '',
  verified: false,
}

/** The simulation of the values on a document. */
export function bodyOf(source: string, values: TryValues): TryBody {
  const { point, text, application, verified } = values
  const user = userOf(values)
  const content = point === 'output' ? values.request : text
  return {
    source,
    point,
    request: { messages: [{ role: 'user', content }], ...(user && { governance: { user } }) },
    ...(point === 'output' && { response: text }),
    ...(application !== null && { application_id: application }),
    user_verified: verified,
  }
}

/** Conditions read the role of a user without an id as well. */
const UNNAMED_USER = 'user'

function userOf({ user, role, department, attributes, verified }: TryValues) {
  const given = readMap(attributes) ?? {}
  if ([user, role, department].every((text) => text === '') && Object.keys(given).length === 0 && !verified) return undefined
  return { id: user || UNNAMED_USER, role, department, attributes: given }
}
