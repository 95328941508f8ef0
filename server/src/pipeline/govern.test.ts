import { expect, test } from 'vitest'
import { compiledPolicy, policyInput } from '../../test/support/policies.ts'
import type { Detector } from '../domains/classification/detector.ts'
import type { Fault } from '../shared/fault.ts'
import type { Finding } from '../shared/finding.ts'
import { ANONYMOUS_USER, type User } from '../shared/principal.ts'
import { govern } from './govern.ts'

const RULES = `name: p
rules:
  - {id: redact, at: [output], when: 'content.text.contains("mask")', verdict: escalate, transforms: ['redact:pii.email']}
  - {id: short, at: [output], when: 'content.text.contains("long")', verdict: allow, transforms: ['truncate:4']}
  - {id: no-analysts, at: [output], when: 'user.role == "analyst"', verdict: deny}
`
const policy = compiledPolicy(RULES)

const detector = (findings: (text: string) => Finding[]): Detector => ({
  name: 'test',
  find: (text, list) => void list.push(...findings(text)),
})
const emails = detector((text) => {
  const start = text.indexOf('jane@example.org')
  return start < 0 ? [] : [{ type: 'pii.email', start, end: start + 16 }]
})

async function governed(texts: string[], { by = emails, readers = [ANONYMOUS_USER], prose = texts.length } = {}) {
  const faults: Fault[] = []
  const content = { texts, start: { classification: 'internal', risk: 'low' } as const }
  const governing = { policy, input: policyInput(), readers, prose, replace: (changed: readonly string[]) => changed }
  const deps = { detectors: [by], detectorBudgetMs: 5_000, reportFault: (fault: Fault) => faults.push(fault) }
  return { ...(await govern(content, 'output', governing, deps)), faults }
}

test('govern: applies the transforms of the decision and raises the classification when a detector finds something', async () => {
  const { value, decision, transforms, failed } = await governed(['mask jane@example.org', 'plain'])
  expect(value).toEqual(['mask [EMAIL]', 'plain'])
  expect(decision).toMatchObject({ verdict: 'escalate', classification: 'confidential', risk: 'medium' })
  expect({ transforms, failed }).toEqual({ transforms: ['redact:pii.email'], failed: [] })
})

test('govern: denies and gives no value when a transform cannot be applied', async () => {
  const misplaced = detector(() => [{ type: 'pii.email', start: 2, end: 1_000 }])
  const { value, decision, failed, faults } = await governed(['mask this'], { by: misplaced })
  expect({ value, failed, verdict: decision.verdict }).toEqual({ value: undefined, failed: ['transform'], verdict: 'deny' })
  expect(faults).toMatchObject([{ kind: 'transform', name: 'output', how: 'threw' }])
})

test('govern: gives no value when one of several readers is denied', async () => {
  const analyst: User = { ...ANONYMOUS_USER, id: 'u2', role: 'analyst' }
  expect((await governed(['plain'])).value).toEqual(['plain'])
  const { value, decision } = await governed(['plain'], { readers: [ANONYMOUS_USER, analyst] })
  expect({ value, verdict: decision.verdict }).toEqual({ value: undefined, verdict: 'deny' })
})

test('govern: truncates only the texts that are prose', async () => {
  expect((await governed(['a long message', 'a long schema'], { prose: 1 })).value).toEqual(['a lo', 'a long schema'])
})
