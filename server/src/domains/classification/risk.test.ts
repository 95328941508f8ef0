import { expect, test } from 'vitest'
import { countFindings, type FindingType } from '../../shared/finding.ts'
import { type Assessment, assess } from './risk.ts'

const start: Assessment = { classification: 'internal', risk: 'low' }
const counts = (...types: FindingType[]) => countFindings([types.map((type) => ({ type, start: 0, end: 1 }))])

test.each<[FindingType[], Assessment]>([
  [[], start],
  [['secret.token'], { classification: 'restricted', risk: 'high' }],
  [['pii.email'], { classification: 'confidential', risk: 'medium' }],
  [['injection.override'], { classification: 'internal', risk: 'high' }],
  [['hidden.text'], { classification: 'internal', risk: 'medium' }],
  [['pii.card', 'injection.role_play'], { classification: 'confidential', risk: 'high' }],
  [['pii.card', 'secret.api_key'], { classification: 'restricted', risk: 'high' }],
])('assess: classification and risk for %j', (types, expected) => expect(assess(counts(...types), start)).toEqual(expected))

test('assess: assessment is never lowered [GW-POL-8]', () => {
  const strict: Assessment = { classification: 'restricted', risk: 'critical' }
  expect(assess(counts('pii.email', 'hidden.text'), strict)).toEqual(strict)
  expect(assess(counts(), { classification: 'public', risk: 'low' })).toEqual({ classification: 'public', risk: 'low' })
})
