import { Type } from 'typebox'
import { oneOf } from '../../platform/lib/fields.ts'
import { POLICY_POINTS, VERDICTS } from '../../shared/decision.ts'

export const RuleView = Type.Object(
  {
    id: Type.String(),
    point: oneOf(POLICY_POINTS, 'PolicyPoint'),
    verdict: oneOf(VERDICTS, 'Verdict'),
    error: Type.Optional(Type.String({ description: 'The condition failed, which counts as deny.' })),
  },
  { title: 'MatchedRule' },
)

export const PolicyVersionView = Type.Object(
  { id: Type.String(), name: Type.String(), version: Type.Integer(), sha256: Type.String() },
  { title: 'PolicyVersion' },
)
