import { Type } from 'typebox'
import { CLASSIFICATIONS, type Classification } from '../domain/classification.ts'
import { checker } from '../lib/schema.ts'
import type { Acl } from './acl.ts'
import { type Labels, normalizedLabels, UNLABELLED } from './labels.ts'
import { DocumentError, type FrontMatter } from './parsing/document.ts'

// Text that PostgreSQL can store: neither U+0000 nor halves of surrogate pairs.
const Word = Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' })
const Words = Type.Array(Word, { maxItems: 1_000 })

const check = checker(
  Type.Object({
    classification: Type.Optional(Type.Unsafe<Classification>(Type.Union(CLASSIFICATIONS.map((word) => Type.Literal(word))))),
    regulations: Type.Optional(Words),
    acl: Type.Optional(
      Type.Object(
        {
          everyone: Type.Optional(Type.Literal(true)),
          users: Type.Optional(Words),
          roles: Type.Optional(Words),
          departments: Type.Optional(Words),
        },
        { additionalProperties: false },
      ),
    ),
  }),
)

/** The labels that a document gives itself. What cannot be understood is an error, since it was meant to protect the document. */
export function labelsInside(frontMatter: FrontMatter = {}): Labels {
  const { classification, regulations, acl } = frontMatter
  const said = {
    ...(classification != null && { classification }),
    ...(regulations != null && { regulations: typeof regulations === 'string' ? [regulations] : regulations }),
    ...(acl != null && { acl: acl === 'everyone' ? { everyone: true } : acl }),
  }
  const checked = check(said)
  if (!checked.ok) {
    const { param, message } = checked.problem
    throw new DocumentError('broken', `Front matter: ${param} ${message}.`)
  }
  const { everyone, ...lists } = checked.value.acl ?? {}
  if (everyone && Object.keys(lists).length > 0) {
    throw new DocumentError('broken', 'Front matter: acl names everyone and others. Keep one of the two.')
  }
  const own: Acl | null = checked.value.acl ? (everyone ? { everyone } : lists) : null
  return normalizedLabels({ ...UNLABELLED, ...checked.value, acl: own })
}
