import { expect, test } from 'vitest'
import { FUNCTIONS } from '../../server/src/domains/policy/condition/functions.ts'
import { VARIABLES } from '../../server/src/domains/policy/condition/variables.ts'
import { RULE_FIELDS } from '../../server/src/domains/policy/rule-reader.ts'
import { parseTransform } from '../../server/src/domains/policy/transforms.ts'
import { CLASSIFICATIONS, RISK_LEVELS } from '../../server/src/shared/classification.ts'
import { POLICY_POINTS, VERDICTS } from '../../server/src/shared/decision.ts'
import { FINDING_GROUPS, FINDING_TYPES } from '../../server/src/shared/finding.ts'
import * as vocabulary from '../src/features/policies/vocabulary.ts'

test('policy editor: completes the names and values of the server', () => {
  expect(vocabulary.RULE_FIELDS).toEqual(RULE_FIELDS)
  expect(vocabulary.VARIABLES).toEqual([...VARIABLES.keys()])
  expect(vocabulary.FINDINGS).toEqual([...FINDING_TYPES, ...FINDING_GROUPS])
  expect(vocabulary.CLASSIFICATIONS).toEqual(CLASSIFICATIONS)
  expect(vocabulary.RISK_LEVELS).toEqual(RISK_LEVELS)
  expect(vocabulary.FIELD_VALUES.at?.toSorted()).toEqual(POLICY_POINTS.toSorted())
  expect(vocabulary.FIELD_VALUES.verdict).toEqual(VERDICTS)
  for (const transform of vocabulary.TRANSFORMS) expect(parseTransform(transform), transform).toBeDefined()
  // `has` is a macro of CEL, not a function.
  for (const name of vocabulary.FUNCTIONS.filter((one) => one !== 'has')) expect(FUNCTIONS.has(name), name).toBe(true)
})
