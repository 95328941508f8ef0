import type { AuditRecord } from '../../api/schema.d.ts'
import { expectedAt } from '../../ui/expected-decision.ts'
import type { Step, Turn } from './chat.ts'

export type TestPoint = 'input' | 'output'

/** The texts of a step that a test can evaluate. */
export interface TestTexts {
  readonly input: string
  /** Undefined: there is no completion. */
  readonly output: string | undefined
}

export const textsOf = ({ prompt, isDryRun }: Turn, { content }: Step): TestTexts => ({
  input: prompt,
  output: isDryRun || content === '' ? undefined : content,
})

/** A policy test that expects what the policies decided for the request, in the form of `POST /admin/v1/policy-tests`. */
export function policyTest(name: string, at: TestPoint, text: string, { user, decision, features }: AuditRecord) {
  const application = features['application.name']
  return {
    name,
    at,
    input: {
      content: { text },
      user: { role: user.role, department: user.department, verified: user.verified },
      ...(typeof application === 'string' && { application: { name: application } }),
    },
    expect: expectedAt(at, decision?.rules ?? []),
  }
}
