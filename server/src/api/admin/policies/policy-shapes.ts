import { Type } from 'typebox'
import { type CompiledPolicy, compile } from '../../../domains/policy/compile.ts'
import { type PolicyError, parsePolicySet } from '../../../domains/policy/parse.ts'
import { type PolicySet, policySha256 } from '../../../domains/policy/policy.ts'
import { findPolicySet, type PolicySetVersion } from '../../../domains/policy/policy-store.ts'
import { describePlace } from '../../../domains/policy/yaml.ts'
import { GatehouseError } from '../../../errors.ts'
import type { Db } from '../../../platform/db/database.ts'
import { isStorable, oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { POLICY_POINTS, type PolicyVersion, VERDICTS } from '../../../shared/decision.ts'
import { conflict, invalid, requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'

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

export const Source = Type.String({ maxLength: 1_048_576, description: 'The policy document as YAML.' })
export const SourceBody = Type.Object({ source: Source })

export const ActorName = nullable(Type.String({ description: 'null: deleted, or not an operator.' }))

/** By id. */
export type ActorNames = ReadonlyMap<string, string>

export const NOTE_PATTERN = '^[^\\u0000\\p{Cs}]*$'

export const Note = Type.String({ maxLength: 2_000, pattern: NOTE_PATTERN })

export const PublishBody = Type.Object({
  source: Source,
  note: Type.Optional({ ...Note, description: 'The reason for the version. The history shows it.' }),
})

export const PolicySetView = Type.Object({
  ...PolicyVersionView.properties,
  object: Type.Literal('policy_set'),
  active: Type.Boolean({ description: 'Whether the version is active.' }),
  declared: nullable(
    Type.Boolean({ description: 'Whether the document is the one in the configuration file. null: the file has no policy set.' }),
  ),
  published_by: Type.String({ description: 'Id of the operator or admin token, or `gatehouse` for the configuration file.' }),
  published_by_name: ActorName,
  note: Type.String({ description: 'The reason for the version, as written by its publisher. Empty: no note.' }),
  created_at: Timestamp,
})

export const PublishedPolicySetView = Type.Object(
  {
    ...PolicySetView.properties,
    warnings: Type.Array(Type.String(), {
      description: 'Settings of Applications that have no effect with the version, and why: `release: windowed`.',
    }),
  },
  { title: 'PublishedPolicySet' },
)

export const PolicySetWithSourceView = Type.Object(
  {
    ...PolicySetView.properties,
    source: Type.String({ description: 'The published document, byte for byte.' }),
    rules: Type.Array(
      Type.Object({
        id: Type.String(),
        description: Type.String(),
        at: Type.Array(oneOf(POLICY_POINTS, 'PolicyPoint')),
        verdict: oneOf(VERDICTS, 'Verdict'),
        transforms: Type.Array(Type.String()),
        directives: Type.Array(Type.String()),
        when: Type.String(),
      }),
      { description: 'Rules of the document. Empty when this release cannot read the document.' },
    ),
  },
  { title: 'PolicySetWithSource' },
)

export const ChosenPolicyView = Type.Object(
  {
    id: nullable(Type.String({ description: 'null: a draft.' })),
    name: Type.String(),
    version: nullable(Type.Integer()),
    sha256: Type.String(),
  },
  { title: 'ChosenPolicy' },
)

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
    Type.Object(
      {
        id: Type.String(),
        fields: Type.Array(
          Type.Object(
            {
              field: Type.String(),
              before: Type.Unknown(),
              after: Type.Unknown(),
              weakens: Type.Boolean({
                description: 'The rule surely demands less than before. A changed condition may match less, which is not known.',
              }),
            },
            { title: 'RuleFieldChange' },
          ),
        ),
      },
      { title: 'RuleChange' },
    ),
  ),
  reordered: Type.Boolean({ description: 'Whether rules of both versions have another order.' }),
  texts: names,
})

export const PolicyDraftDiffView = Type.Object(
  { ...PolicyDiffView.properties, to: ChosenPolicyView },
  { title: 'PolicyDraftDiff' },
)

export const policyVersionView = ({ id, name, version, sha256 }: PolicySetVersion) => ({ id, name, version, sha256 })

export const policySetView = (set: PolicySetVersion, names: ActorNames = new Map()) =>
  viewOf(PolicySetView, set, { published_by_name: names.get(set.publishedBy) ?? null })

export function ruleViews(source: string) {
  const parsed = parsePolicySet(source)
  if (!parsed.ok) return []
  return parsed.set.rules.map(({ id, description, at, verdict, transforms, directives, when }) => ({
    id,
    description,
    at: [...at],
    verdict,
    transforms: [...transforms],
    directives: [...directives],
    when,
  }))
}

export const WholeResponseRule = nullable(
  Type.Object({ rule: Type.String(), reason: Type.String() }, { title: 'WholeResponseRule' }),
)

export const NO_VERSION = 'none'

export const BASE_VERSION = {
  base_version: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Id of the version that the client regards as active, or \`${NO_VERSION}\`. If another version is active, the response is 409 and nothing changes. Default: no check.`,
    }),
  ),
}

/** Throws CONFLICT unless `base_version` is the active version. Without `base_version` nothing is checked. */
export function checkBaseVersion(base: string | undefined, active: PolicySetVersion | undefined): void {
  if (base === undefined || base === (active?.id ?? NO_VERSION)) return
  const message = active
    ? `Another version was published: ${active.name} v${active.version} is active. Compare your document with it, then publish with its id as base_version.`
    : 'No version is active. Publish with base_version=none.'
  throw conflict(message, {
    param: 'base_version',
    details: { reason: 'base_version_superseded', base_version: base, active_version: active ? policySetView(active) : null },
  })
}

/** Compiles the draft or the published version that a body names. Returns undefined if it names neither. Throws a 400 or a 404. */
export async function loadChosenPolicy(
  db: Db,
  workspaceId: string,
  { source, policy_set_id: id }: { readonly source?: string; readonly policy_set_id?: string },
): Promise<CompiledPolicy | undefined> {
  if (id !== undefined && source !== undefined)
    throw invalid({ param: 'policy_set_id', message: 'cannot be combined with source: send one of them' })
  if (source !== undefined) return compileSource(source, { id: '', version: 0 })
  if (id === undefined) return undefined
  const set = requireFound(await findPolicySet(db, workspaceId, id), 'policy set')
  return compileSource(set.source, set)
}

function compileSource(source: string, { id, version }: Pick<PolicyVersion, 'id' | 'version'>): CompiledPolicy {
  const set = parseSource(source)
  return compile(set, { id, version, name: set.name, sha256: policySha256(source) })
}

function describeError(error: PolicyError): string {
  const place = describePlace(error)
  return ` Line ${error.line}: ${place ? `${place}: ` : ''}${error.message}${error.message.endsWith('?') ? '' : '.'}`
}

const UNSTORABLE: PolicyError = { line: 1, column: 1, field: '', message: 'the document contains U+0000 or unpaired surrogates' }

/** Parses a policy document. Throws a 400 with all problems by line and field, and the first one in its message. */
export function parseSource(source: string): PolicySet {
  const parsed = parsePolicySet(source)
  if (parsed.ok && isStorable(source) && isStorable(parsed.set.name)) return parsed.set
  const errors = parsed.ok ? [UNSTORABLE] : parsed.errors
  const [first] = errors
  throw new GatehouseError('VALIDATION_ERROR', {
    message: `The policy document is not valid.${first ? describeError(first) : ''}`,
    ...(first?.field && { param: first.field }),
    details: { errors },
  })
}
