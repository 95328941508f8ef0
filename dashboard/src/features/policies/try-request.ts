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
  /** Names of the tools that the request offers. */
  readonly tools: readonly string[]
  /** YAML: the arguments of each tool that the answer calls, by its name. */
  readonly calls: string
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
  tools: [],
  calls: '',
  application: null,
  user: '',
  role: '',
  department: '',
  attributes: '',
  verified: false,
}

/** The simulation of the values on a document. */
export function bodyOf(source: string, values: TryValues): TryBody {
  const { point, text, tools, application, verified } = values
  const user = userOf(values)
  const content = point === 'output' ? values.request : text
  const calls = point === 'output' ? callsIn(values) : []
  return {
    source,
    point,
    request: {
      messages: [{ role: 'user', content }],
      ...(tools.length > 0 && { tools: tools.map((name) => ({ type: 'function' as const, function: { name } })) }),
      ...(user && { governance: { user } }),
    },
    ...(point === 'output' && { response: text }),
    ...(calls.length > 0 && { tool_calls: [...calls] }),
    ...(application !== null && { application_id: application }),
    user_verified: verified,
  }
}

/** The calls in the form of a simulation. */
export const callsIn = ({ calls }: Pick<TryValues, 'calls'>) =>
  Object.entries(readMap(calls) ?? {}).map(([name, given]) => ({ name, arguments: (given ?? {}) as Record<string, unknown> }))

/** Conditions read the role of a user without an id as well. */
const UNNAMED_USER = 'user'

export function userOf({ user, role, department, attributes, verified }: TryValues) {
  const given = readMap(attributes) ?? {}
  if ([user, role, department].every((text) => text === '') && Object.keys(given).length === 0 && !verified) return undefined
  return { id: user || UNNAMED_USER, role, department, attributes: given }
}
