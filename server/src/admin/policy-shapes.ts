import { Type } from 'typebox'
import { oneOf, Timestamp } from '../applications/shapes.ts'
import { POLICY_POINTS, type PolicyVersion, VERDICTS } from '../domain/decision.ts'
import { parsePolicySet } from '../policy/parse.ts'
import type { PolicySetVersion } from '../policy/policy-store.ts'
import { PolicyVersionView } from './review-shapes.ts'
import { nullable } from './shapes.ts'

/** Of JSON bodies; what is in it, the parser tells (policy/parse.ts). */
export const Source = Type.String({ maxLength: 1_048_576, description: 'The policy document, YAML.' })
export const SourceBody = Type.Object({ source: Source })

export const PolicySetView = Type.Object({
  ...PolicyVersionView.properties,
  object: Type.Literal('policy_set'),
  active: Type.Boolean({ description: 'In force.' }),
  declared: nullable(
    Type.Boolean({
      description: 'Whether its text is what the configuration file declares; null: the file declares no policy set.',
    }),
  ),
  published_by: Type.String(),
  created_at: Timestamp,
})

export const PolicySetWithSourceView = Type.Object({
  ...PolicySetView.properties,
  source: Type.String({ description: 'The document as it was published, byte for byte.' }),
  rules: Type.Array(
    Type.Object({
      id: Type.String(),
      description: Type.String(),
      at: Type.Array(oneOf(POLICY_POINTS)),
      verdict: oneOf(VERDICTS),
      when: Type.String(),
    }),
    { description: 'Those of the document; empty where this release cannot read it.' },
  ),
})

/** A draft, or a published version. */
export const ChosenPolicyView = Type.Object({
  id: nullable(Type.String({ description: 'null: a draft.' })),
  name: Type.String(),
  version: nullable(Type.Integer()),
  sha256: Type.String(),
})

export const chosenPolicyView = ({ id, name, version, sha256 }: PolicyVersion) => ({
  id: id || null,
  name,
  version: version || null,
  sha256,
})

const names = Type.Array(Type.String())

export const PolicyDiffView = Type.Object({
  object: Type.Literal('policy_diff'),
  from: PolicyVersionView,
  to: PolicyVersionView,
  added: names,
  removed: names,
  changed: Type.Array(
    Type.Object({
      id: Type.String(),
      fields: Type.Array(Type.Object({ field: Type.String(), before: Type.Unknown(), after: Type.Unknown() })),
    }),
  ),
  reordered: Type.Boolean({ description: 'Rules that both have stand in another order.' }),
  texts: names,
})

export const policyVersion = ({ id, name, version, sha256 }: PolicySetVersion) => ({ id, name, version, sha256 })

export const policySetView = (set: PolicySetVersion) => ({
  ...policyVersion(set),
  object: 'policy_set' as const,
  active: set.active,
  declared: set.declared,
  published_by: set.publishedBy,
  created_at: set.createdAt.toISOString(),
})

/** What each rule is for, for those who show decisions. */
export function ruleViews(source: string) {
  const parsed = parsePolicySet(source)
  if (!parsed.ok) return []
  return parsed.set.rules.map(({ id, description, at, verdict, when }) => ({ id, description, at: [...at], verdict, when }))
}
