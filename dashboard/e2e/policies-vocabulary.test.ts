import { expect, test } from 'vitest'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../server/src/domain/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../../server/src/domain/decision.ts'
import { FINDING_GROUPS, FINDING_TYPES } from '../../server/src/domain/finding.ts'
import { FUNCTIONS } from '../../server/src/policy/condition/functions.ts'
import { VARIABLES } from '../../server/src/policy/condition/variables.ts'
import { RULE_FIELDS } from '../../server/src/policy/parse-rule.ts'
import { parseTransform } from '../../server/src/policy/transforms.ts'
import * as completed from '../src/features/policies/vocabulary.ts'

test('the editor completes the words that the server knows', () => {
  expect(completed.RULE_FIELDS).toEqual(RULE_FIELDS)
  expect(completed.VARIABLES).toEqual([...VARIABLES.keys()])
  expect(completed.FINDINGS).toEqual([...FINDING_TYPES, ...FINDING_GROUPS])
  expect(completed.CLASSIFICATIONS).toEqual(CLASSIFICATIONS)
  expect(completed.RISK_LEVELS).toEqual(RISK_LEVELS)
  expect(completed.FIELD_WORDS.at?.toSorted()).toEqual(POLICY_POINTS.toSorted())
  expect(completed.FIELD_WORDS.verdict).toEqual(VERDICTS)
  for (const transform of completed.TRANSFORMS) expect(parseTransform(transform), transform).toBeDefined()
  // `has` is a macro of the language, not a function.
  for (const name of completed.FUNCTIONS.filter((one) => one !== 'has')) expect(FUNCTIONS.has(name), name).toBe(true)
})
