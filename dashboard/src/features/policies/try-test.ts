import { expectedAt } from '../../ui/expected-decision.ts'
import { toItemYaml } from './rule-fields.ts'
import { callsIn, type TryResult, type TryValues, userOf } from './try-request.ts'

/** The test of a document, in YAML, that expects the decision on the tried text. */
export function testOf(name: string, values: TryValues, applicationName: string | undefined, { rules }: TryResult): string {
  const { point, text, tools, verified } = values
  const user = userOf(values)
  const calls = point === 'output' ? callsIn(values) : []
  const request = { ...(point === 'message' && { endpoint: 'message' }), ...(tools.length > 0 && { tools }) }
  const input = {
    content: { text, ...(calls.length > 0 && { tool_calls: calls }) },
    ...(user && { user: { ...withoutEmpty(user), ...(verified && { verified }) } }),
    ...(applicationName !== undefined && { application: { name: applicationName } }),
    ...(Object.keys(request).length > 0 && { request }),
    ...(point === 'message' && user && { message: { sender: user.id } }),
    ...(point === 'retrieve' && { hit: LEAST_LABELS }),
    ...((point === 'recall' || point === 'remember') && { memory: LEAST_LABELS }),
  }
  return toItemYaml({ name, at: point, input, expect: expectedAt(point, rules) })
}

/** The labels of a tried passage or memory. */
const LEAST_LABELS = { classification: 'public' }

const withoutEmpty = <T extends object>(values: T) =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => (typeof value === 'object' ? Object.keys(value).length > 0 : value !== '')),
  )
