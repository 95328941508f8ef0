import { Type } from 'typebox'
import { CLASSIFICATIONS, type Classification } from '../domain/classification.ts'
import type { Checked } from '../lib/schema.ts'
import type { Acl } from './acl.ts'
import { type Labels, normalizedLabels, UNLABELLED } from './labels.ts'

// Text that PostgreSQL can store: neither U+0000 nor halves of surrogate pairs.
const Word = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })
const Words = Type.Array(Word, { maxItems: 1_000 })

interface AclLists {
  readonly everyone?: true
  readonly users?: string[]
  readonly roles?: string[]
  readonly departments?: string[]
}

// One schema of three types instead of a union: what is wrong is then told of the field that it is wrong with.
const AclField = Type.Unsafe<AclLists | string | null>({
  type: ['object', 'string', 'null'],
  properties: {
    everyone: Type.Optional(Type.Literal(true)),
    users: Type.Optional(Words),
    roles: Type.Optional(Words),
    departments: Type.Optional(Words),
  },
  additionalProperties: false,
  description: '`everyone`, or whoever one of the lists names. null: none.',
})

/** Labels as people write them, in requests, in `gatehouse.yaml` and in front matter; null: none. */
export const LabelFields = {
  classification: Type.Optional(
    Type.Unsafe<Classification | null>(Type.Union([...CLASSIFICATIONS.map((word) => Type.Literal(word)), Type.Null()])),
  ),
  regulations: Type.Optional(Type.Unsafe<string[] | null>({ type: ['array', 'null'], items: Word, maxItems: 1_000 })),
  acl: Type.Optional(AclField),
}

export interface WrittenLabels {
  readonly classification?: Classification | null | undefined
  readonly regulations?: readonly string[] | null | undefined
  readonly acl?: AclLists | string | null | undefined
}

/** What checked fields say, in the form in which it is stored; what is left out is left out. */
export function labelsOf({ classification, regulations, acl: written }: WrittenLabels): Checked<Partial<Labels>> {
  if (typeof written === 'string' && written !== 'everyone') {
    return { ok: false, problem: { param: 'acl', message: 'must be everyone, or lists of users, roles and departments' } }
  }
  const { everyone, ...lists } = typeof written === 'string' ? { everyone: true } : (written ?? {})
  if (everyone && Object.keys(lists).length > 0) {
    return { ok: false, problem: { param: 'acl', message: 'names everyone and others: keep one of the two' } }
  }
  const acl: Acl | null = written === null || written === undefined ? null : everyone ? { everyone } : lists
  const whole = normalizedLabels({ ...UNLABELLED, classification: classification ?? null, regulations: regulations ?? [], acl })
  const value = {
    ...(classification !== undefined && { classification: whole.classification }),
    ...(regulations !== undefined && { regulations: whole.regulations }),
    ...(written !== undefined && { acl: whole.acl }),
  }
  return { ok: true, value }
}
