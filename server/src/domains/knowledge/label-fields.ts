import { Type } from 'typebox'
import { type Checked, checker } from '../../platform/lib/schema.ts'
import { CLASSIFICATIONS, type Classification } from '../../shared/classification.ts'
import { type Acl, NAME_LISTS, type Names } from './acl.ts'
import { type Labels, normalizedLabels, UNLABELLED } from './labels.ts'
import { DocumentError, type FrontMatter } from './parsing/document.ts'

// PostgreSQL stores neither U+0000 nor unpaired surrogates.
const LabelName = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })
const LabelNames = Type.Array(LabelName, { maxItems: 1_000 })

type NameFields = { readonly [L in keyof Names]?: string[] }
interface AclLists extends NameFields {
  readonly everyone?: true
  readonly deny?: NameFields
}

const nameLists = Object.fromEntries(NAME_LISTS.map((list) => [list, Type.Optional(LabelNames)]))

// One schema with three types instead of a union, so that a problem names the field that causes it.
const AclField = Type.Unsafe<AclLists | string | null>({
  title: 'AclInput',
  type: ['object', 'string', 'null'],
  properties: {
    everyone: Type.Optional(Type.Literal(true)),
    ...nameLists,
    deny: Type.Optional({
      ...Type.Object(nameLists, { additionalProperties: false }),
      description: 'Users who may not read the document, also if the other fields name them.',
    }),
  },
  additionalProperties: false,
  description: '`everyone`, or lists: a user must match one of them, and none of `deny`. null: no ACL.',
})

/** Labels in requests, in `gatehouse.yaml` and in front matter. null removes a label. */
export const LabelFields = {
  classification: Type.Optional(
    Type.Unsafe<Classification | null>(Type.Union([...CLASSIFICATIONS.map((word) => Type.Literal(word)), Type.Null()])),
  ),
  regulations: Type.Optional(Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: LabelName, maxItems: 1_000 })),
  acl: Type.Optional(AclField),
}

export interface LabelInput {
  readonly classification?: Classification | null | undefined
  readonly regulations?: readonly string[] | null | undefined
  readonly acl?: AclLists | string | null | undefined
}

/** Converts checked fields to labels in their stored form. Absent fields stay absent. */
export function parseLabels({ classification, regulations, acl: aclInput }: LabelInput): Checked<Partial<Labels>> {
  if (typeof aclInput === 'string' && aclInput !== 'everyone') {
    return { ok: false, problem: { param: 'acl', message: 'must be everyone, or lists of users, roles, departments and groups' } }
  }
  const { everyone, deny, ...lists }: AclLists = typeof aclInput === 'string' ? { everyone: true } : (aclInput ?? {})
  if (everyone && Object.keys(lists).length > 0) {
    return { ok: false, problem: { param: 'acl', message: 'must be either everyone or lists, not both' } }
  }
  const permitted = everyone ? { everyone } : lists
  const acl: Acl | null = aclInput === null || aclInput === undefined ? null : { ...permitted, ...(deny && { deny }) }
  const labels = normalizedLabels({ ...UNLABELLED, classification: classification ?? null, regulations: regulations ?? [], acl })
  const value = {
    ...(classification !== undefined && { classification: labels.classification }),
    ...(regulations !== undefined && { regulations: labels.regulations }),
    ...(aclInput !== undefined && { acl: labels.acl }),
  }
  return { ok: true, value }
}

const check = checker(Type.Object(LabelFields))

/** The labels in a document's front matter. Throws a DocumentError for invalid labels, because they were meant to protect the document. */
export function frontMatterLabels({ classification, regulations, acl }: FrontMatter = {}): Labels {
  const fields = { classification, regulations: typeof regulations === 'string' ? [regulations] : regulations, acl }
  const checked = check(Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)))
  const labels = checked.ok ? parseLabels(checked.value) : checked
  if (!labels.ok) throw new DocumentError('broken', `Front matter: ${labels.problem.param} ${labels.problem.message}.`)
  return { ...UNLABELLED, ...labels.value }
}
